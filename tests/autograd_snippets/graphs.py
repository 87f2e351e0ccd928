"""The graph: names of nodes, their inputs, what they saved, operators with several outputs."""

from .observe import graph, raised


def names_of_the_nodes_of_common_operators(T):
    x, w = T.ones(2, 2, requires_grad=True), T.ones(2, 2, requires_grad=True)
    results = [
        x + w, x - w, x * w, x / w, x**2, x**w, 2**x, -x, x.exp(), x.log(), x.sin(), x.sqrt(), x.abs(), x.tanh(),
        x.sigmoid(), x.relu(), x.sum(), x.sum(0), x.mean(), x.mean(1), x.prod(), x.max(), x.amax(0), x.var(), x.clone(),
        x @ w, x.mm(w), x[0] @ w[0], x.cumsum(0), x.softmax(0), x.log_softmax(0), x.logsumexp(0),
        x.double(), x.clamp(0, 1), x.clamp(min=0), T.where(x > 0, x, w), T.maximum(x, w), x.masked_fill(x > 3, 0.0),
        T.cat([x, w]), T.stack([x, w]), x.gather(0, T.zeros(1, 1, dtype=T.int64)), x.index_select(0, T.tensor([0])),
    ]  # fmt: skip
    return [y.grad_fn.name() for y in results], [type(y.grad_fn).__name__ for y in results]


def names_of_the_nodes_of_views(T):
    x = T.ones(2, 4, requires_grad=True)
    results = [
        x.view(8), x.reshape(4, 2), x.flatten(), x.t(), x.T, x.transpose(0, 1), x.permute(1, 0), x[0],
        x[:, 1:], x[None],
        x.narrow(1, 0, 2), x.select(0, 1), x.unsqueeze(0), x.unsqueeze(0).squeeze(), x.unsqueeze(0).squeeze(0),
        x.expand(3, 2, 4), x.diagonal(), x.unfold(1, 2, 1), x.as_strided((2,), (1,)), x.unbind()[1], x.split(2, 1)[0],
        x.chunk(2)[0], x.split([1, 3], 1)[1], x.view_as(x), x[T.tensor([0])], x[x > 0],
        x.detach().requires_grad_().view(8),
    ]  # fmt: skip
    return [y.grad_fn.name() for y in results], [y.output_nr for y in results]


def names_of_the_nodes_of_networks(T):
    F = T.nn.functional
    x, w = T.ones(1, 2, 4, 4, requires_grad=True), T.ones(3, 2, 3, 3)
    results = [
        F.conv2d(x, w), F.max_pool2d(x, 2), F.avg_pool2d(x, 2), F.relu(x), F.gelu(x), F.silu(x), F.leaky_relu(x),
        F.softplus(x), F.linear(x, T.ones(5, 4)), F.linear(x, T.ones(5, 4), T.ones(5)), F.layer_norm(x, (4,)),
        F.mse_loss(x, x.detach()), F.pad(x, (1, 1)), F.linear(x[0, 0], T.ones(5, 4), T.ones(5)),
        F.cross_entropy(x[0, 0], T.zeros(4, dtype=T.int64)), F.embedding(T.tensor([0]), x[0, 0]),
    ]  # fmt: skip
    return [y.grad_fn.name() for y in results]


def the_graph_of_an_expression(T):
    x, w = T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)
    return graph(((x * w + x).exp() * 3).sum().grad_fn)


def constants_have_no_edge(T):
    x = T.ones(2, requires_grad=True)
    return (
        (x * T.ones(2)).grad_fn.next_functions,
        (T.ones(2) * x).grad_fn.next_functions,
        (2 * x).grad_fn.next_functions,
    )


def the_accumulator_knows_its_leaf(T):
    x = T.ones(2, requires_grad=True)
    node = (x * 2).grad_fn.next_functions[0][0]
    return node.variable is x, node.name(), type(node).__name__, node.next_functions


def the_accumulator_of_a_leaf_is_one(T):
    x = T.ones(2, requires_grad=True)
    one, other = x * 2, x + 1
    return one.grad_fn.next_functions[0][0] is other.grad_fn.next_functions[0][0]


def a_view_of_a_leaf_gives_its_accumulator(T):
    x = T.ones(2, requires_grad=True)
    return x.view_as(x).grad_fn.next_functions[0][0].variable is x, x.expand_as(x).grad_fn.next_functions


def the_node_of_a_tensor_is_one_object(T):
    y = T.ones(2, requires_grad=True) * 2
    return y.grad_fn is y.grad_fn, y.grad_fn == y.grad_fn, (y + 1).grad_fn.next_functions[0][0] is y.grad_fn


def nodes_are_nodes(T):
    y = T.ones(2, requires_grad=True) * 2
    node = y.grad_fn
    Node = T.autograd.graph.Node
    return isinstance(node, Node), isinstance(node.next_functions[0][0], Node), issubclass(type(node), Node)


def outputs_are_numbered(T):
    x = T.arange(4.0).view(2, 2).requires_grad_()
    parts = x.unbind()
    return (
        [part.output_nr for part in parts],
        parts[0].grad_fn is parts[1].grad_fn,
        (parts[1] * 2).grad_fn.next_functions,
    )


def metadata_is_a_dictionary_of_the_users(T):
    y = T.ones(2, requires_grad=True) * 2
    y.grad_fn.metadata["key"] = 3
    return y.grad_fn.metadata, (y + 1).grad_fn.next_functions[0][0].metadata


def sequence_numbers_grow(T):
    x = T.ones(2, requires_grad=True)
    y = x * 2
    z = y + 1
    return z.grad_fn._sequence_nr() - y.grad_fn._sequence_nr(), z.grad_fn._sequence_nr() > y.grad_fn._sequence_nr()


def unbind_with_an_unused_output(T):
    x = T.arange(6.0).view(3, 2).requires_grad_()
    a, _, c = x.unbind()
    (a * 2 + c * 3).sum().backward()
    return x.grad


def split_with_an_unused_output(T):
    x = T.arange(5.0).requires_grad_()
    a, b, c = x.split(2)
    (b * b).sum().backward()
    return [a, b, c], x.grad


def chunk_of_a_non_leaf(T):
    x = T.arange(4.0).requires_grad_()
    a, b = (x * 2).chunk(2)
    (a * b).sum().backward()
    return a, x.grad


def max_gives_values_and_indices(T):
    x = T.tensor([[1.0, 3.0], [4.0, 2.0]], requires_grad=True)
    values, indices = x.max(1)
    values.sum().backward()
    return values, indices, x.grad.tolist()


def sort_gives_values_and_indices(T):
    x = T.tensor([3.0, 1.0, 2.0], requires_grad=True)
    values, indices = x.sort()
    (values * T.arange(3.0)).sum().backward()
    return values, indices, x.grad.tolist()


def topk_sends_gradients_to_what_it_took(T):
    x = T.tensor([3.0, 1.0, 2.0], requires_grad=True)
    values, indices = x.topk(2)
    (values * T.tensor([1.0, 10.0])).sum().backward()
    return values, indices, x.grad.tolist()


def var_mean_with_both_outputs(T):
    x = T.tensor([1.0, 2.0, 4.0], requires_grad=True)
    var, mean = T.var_mean(x)
    (var + 3 * mean).backward()
    return var, mean, x.grad


def var_mean_with_one_output_unused(T):
    x = T.tensor([1.0, 2.0, 3.0], requires_grad=True)
    var, mean = T.var_mean(x)
    T.autograd.backward(mean, retain_graph=True)
    first = x.grad.clone()
    var.backward()
    return first, x.grad


def an_index_has_no_gradient(T):
    x = T.tensor([3.0, 1.0], requires_grad=True)
    values, indices = x.sort()
    return raised(indices.sum().backward), raised(indices.requires_grad_), values.requires_grad


def a_diamond(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * 3
    a, b = y.exp(), y.sin()
    (a * b).backward()
    return x.grad


def a_diamond_calls_each_node_once(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * 3
    calls = []
    y.grad_fn.register_hook(lambda inputs, outputs: calls.append(outputs[0].item()))
    z = y
    for _ in range(5):
        z = z + z
    z.backward()
    return calls, x.grad


def a_ladder_of_diamonds(T):
    x = T.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(40):
        y = y * 0.5 + y * 0.5
    y.backward()
    return x.grad


def what_multiplication_saves(T):
    x, w = T.tensor([1.0, 2.0], requires_grad=True), T.tensor([3.0, 4.0], requires_grad=True)
    node = (x * w).grad_fn
    return node._saved_self is x, node._saved_other is w, node._saved_self, hasattr(node, "_saved_result")


def what_is_not_needed_is_not_saved(T):
    x, c = T.tensor([1.0, 2.0], requires_grad=True), T.tensor([3.0, 4.0])
    node = (x * c).grad_fn
    return node._saved_self, node._saved_other


def what_exp_saves(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    return y.grad_fn._saved_result is y, y.grad_fn._saved_result, hasattr(y.grad_fn, "_saved_self")


def what_sums_and_powers_save(T):
    x = T.ones(2, 3, requires_grad=True)
    total, power = x.sum(1, keepdim=True).grad_fn, (x**3).grad_fn
    return (total._saved_dim, total._saved_keepdim, list(total._saved_self_sym_sizes), power._saved_exponent,
            power._saved_self is x)  # fmt: skip


def what_was_freed_cannot_be_read(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.sum().backward()
    return raised(getattr, y.grad_fn, "_saved_result")


def saved_hooks_see_what_is_packed_and_unpacked(T):
    seen = []

    def pack(tensor):
        seen.append(("pack", tensor.tolist(), tensor.requires_grad, tensor.is_leaf))
        return tensor.tolist()

    def unpack(packed):
        seen.append(("unpack", packed))
        return T.tensor(packed)

    x, w = T.tensor([1.0, 2.0], requires_grad=True), T.tensor([3.0, 4.0], requires_grad=True)
    with T.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x * w
    z = y.exp()
    z.sum().backward()
    return seen, x.grad, w.grad


def saved_hooks_may_change_the_value(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    with T.autograd.graph.saved_tensors_hooks(lambda t: t * 10, lambda t: t):
        y = x * x
    y.sum().backward()
    return x.grad


def saved_hooks_of_the_innermost_block_win(T):
    seen = []
    x = T.tensor([1.0], requires_grad=True)
    hooks = T.autograd.graph.saved_tensors_hooks
    with hooks(lambda t: seen.append("outer") or t, lambda t: t):
        with hooks(lambda t: seen.append("inner") or t, lambda t: t):
            x.exp()
        x.exp()
    x.exp()
    return seen


def saved_hooks_must_return_a_tensor(T):
    x = T.tensor([1.0], requires_grad=True)
    with T.autograd.graph.saved_tensors_hooks(lambda t: 1, lambda p: p):
        y = x * x
    return raised(y.sum().backward)


def saved_hooks_may_not_change_the_tensor(T):
    hooks, x, y = T.autograd.graph.saved_tensors_hooks, T.ones(3, requires_grad=True), T.ones(3)
    with hooks(lambda t: t.add_(1), lambda t: t):
        of_an_input, of_an_output = raised(T.square, x), raised(T.exp, x)
    with hooks(lambda t: (t[:1].zero_(), t)[1], lambda t: t):
        of_a_part = raised(T.mul, x, y)
    with hooks(lambda t: (t.data.add_(1), t)[1], lambda t: t):
        unseen = x * y
    return of_an_input, of_an_output, of_a_part, unseen, T.is_grad_enabled()


def saved_outputs_pass_through_hooks_as_constants(T):
    seen = []
    x = T.tensor([1.0], requires_grad=True)
    with T.autograd.graph.saved_tensors_hooks(lambda t: seen.append((t.requires_grad, t.grad_fn)) or t, lambda t: t):
        y = x.exp()
    y.backward()
    return seen, x.grad


def saving_can_be_refused(T):
    x = T.tensor([1.0], requires_grad=True)
    with T.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
        return raised(T.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t).__enter__), x.exp()


def a_chain_of_ten_thousand_nodes(T):
    x = T.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(10_000):
        y = y + 1
    y.backward()
    return y, x.grad


def a_long_chain_is_freed_without_recursion(T):
    y = T.tensor(1.0, requires_grad=True)
    for _ in range(20_000):
        y = y + 1
    del y
    return "freed"


def a_wide_sum(T):
    x = T.tensor(1.0, requires_grad=True)
    sum((x * number for number in range(1000)), T.tensor(0.0)).backward()
    return x.grad


def a_node_may_be_called(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    return (x * 3).grad_fn(T.ones(2)), x.grad


def nodes_look_alike(T):
    x = T.ones(2, requires_grad=True)
    y = x * 2
    return [repr(node) for node in (y.grad_fn, y.grad_fn.next_functions[0][0], y[:1].add_(1).grad_fn, y.grad_fn)]


def what_a_node_takes_when_called(T):
    node = (T.ones(2, requires_grad=True) * 3).grad_fn
    return raised(node, T.ones(2), T.ones(2)), raised(node, 1), raised(getattr, node, "_saved_nothing")


def hooks_around_saved_tensors_keep_the_second_derivative(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    with T.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
        y = (x * x * x).exp()
    (g,) = T.autograd.grad(y.sum(), x, create_graph=True)
    return g, T.autograd.grad(g.sum(), x)[0].tolist()


def saved_on_the_cpu(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    with T.autograd.graph.save_on_cpu():
        y = x.exp() * x
    y.sum().backward()
    return x.grad.tolist()


def a_version_may_be_counted_by_hand(T):
    x = T.ones(2, requires_grad=True)
    y = x * 1
    z = y * y
    T.autograd.graph.increment_version(y)
    return y._version, raised(z.sum().backward)
