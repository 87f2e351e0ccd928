"""Several threads that go backward."""

import threading


def _together(count, work):
    errors = []

    def run(number):
        try:
            work(number)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def threads_with_graphs_of_their_own(T):
    leaves = [T.full((3,), float(number), requires_grad=True) for number in range(4)]

    def work(number):
        for _ in range(20):
            x = leaves[number]
            ((x * x).exp() * 0 + x * number).sum().backward()

    errors = _together(4, work)
    return errors, [leaf.grad for leaf in leaves]


def threads_with_a_leaf_in_common(T):
    x = T.ones(2, requires_grad=True)
    x.grad = T.zeros(2)
    lock = threading.Lock()

    def work(number):
        for _ in range(10):
            y = (x * number).sum()
            with lock:
                y.backward()

    return _together(4, work), x.grad


def threads_with_a_graph_in_common(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * x
    results = [None] * 4

    def work(number):
        results[number] = T.autograd.grad(y * number, x, retain_graph=True)

    return _together(4, work), results


def a_graph_made_in_another_thread(T):
    x, made = T.tensor(2.0, requires_grad=True), []
    errors = _together(1, lambda number: made.append(x * x))
    made[0].backward()
    return errors, x.grad


def hooks_run_in_the_thread_of_backward(T):
    x, seen = T.tensor(2.0, requires_grad=True), []
    x.register_hook(lambda grad: seen.append(threading.current_thread().name))
    y = x * x
    thread = threading.Thread(target=y.backward, name="another")
    thread.start()
    thread.join()
    return seen


def each_thread_has_its_own_mode_in_backward(T):
    modes, x = [None] * 2, T.tensor(2.0, requires_grad=True)

    def work(number):
        y = x * x
        y.register_hook(lambda grad: modes.__setitem__(number, T.is_grad_enabled()))
        T.autograd.grad(y, x, create_graph=bool(number))

    return _together(2, work), modes
