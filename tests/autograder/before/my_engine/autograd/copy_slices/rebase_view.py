def rebase_view(tensor: Tensor, meta: DifferentiableViewMeta, node: Node) -> None:
    """An operator has written to a view: give the base a new history, and then the view.

    The base, `meta.base`, was made by a `CopySlices(base, geometry of the view, node)` from now on. The view is a view
    of the base as it is now, and `make_view_node(tensor, meta)` makes the node that says so. `geometry_of(tensor)` and
    `variable.set_gradient_edge(tensor, node)` are at hand; the latter replaces the `grad_fn` of a tensor.

    Args:
        tensor: the view.
        meta: its `_autograd_meta`.
        node: the backward of the operator that wrote.
    Raises:
        RuntimeError: the view may not be written to: `variable.check_view_is_writable(tensor, meta)` refuses, before
            anything is changed.

    Source: impl::rebase_history (torch/csrc/autograd/variable.cpp).
    """
    variable.check_view_is_writable(tensor, meta)
    variable.set_gradient_edge(meta.base, CopySlices(meta.base, geometry_of(tensor), node))
    variable.set_gradient_edge(tensor, make_view_node(tensor, meta))
