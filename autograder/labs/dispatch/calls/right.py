"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "dispatch.dispatcher.Dispatcher": (
        """
from engine import Tensor
from engine.dispatch.keys import highest_bit
from engine.dispatch.keys import BACKEND_MASK
from engine.dispatch.local import local


class Dispatcher:
    def call(self, entry, arguments):
        key_set = local.state.included
        for argument in arguments:
            entries = argument if isinstance(argument, (list, tuple)) else [argument]
            for value in entries:
                if isinstance(value, Tensor):
                    key_set |= value._key_set
        return self.run(entry, key_set & local.state.allowed, arguments, "call")

    def redispatch(self, entry, key_set, arguments):
        return self.run(entry, key_set, arguments, "redispatch")

    def run(self, entry, key_set, arguments, label):
        table = table_of(entry)
        rest = key_set
        while rest & ~BACKEND_MASK:
            kernel, _ = table[highest_key(rest)]
            if kernel is not None and kernel.is_fallthrough:
                key_set &= ~highest_bit(rest)
            rest &= ~highest_bit(rest)
        key = highest_key(key_set)
        kernel, origin = table[key]
        if kernel is None or kernel.is_fallthrough:
            raise refusal(entry, key, origin)
        function = runnable(entry, key, key_set, kernel, label)
        return function(*arguments)
""",
        """
class Dispatcher:
    def call(self, entry, arguments):
        function = self._found(entry, key_set_of_stack(arguments), "call")
        return function(*arguments)

    def redispatch(self, entry, key_set, arguments):
        function = self._found(entry, key_set, "redispatch")
        return function(*arguments)

    def run(self, entry, key_set, arguments, label):
        return self._found(entry, key_set, label)(*list(arguments))

    def _found(self, entry, key_set, label):
        table = dict(table_of(entry))
        kept = dispatch_key_set(key_set, table)
        kernel, origin = table[highest_key(kept)]
        if kernel and not kernel.is_fallthrough:
            return runnable(entry, highest_key(kept), kept, kernel, label)
        raise refusal(entry, highest_key(kept), origin)
""",
        """
class Dispatcher:
    def call(self, entry, arguments):
        stack = list(arguments)
        return self.run(entry, key_set_of_stack(stack), stack, "call")

    def redispatch(self, entry, key_set, arguments):
        return Dispatcher.run(self, entry, key_set, tuple(arguments), "redispatch")

    def run(self, entry, key_set, arguments, label):
        key_set = dispatch_key_set(key_set, table_of(entry))
        key = highest_key(key_set)
        found = table_of(entry)[key]
        if found[0] is None:
            raise refusal(entry, key, found[1])
        if found[0].is_fallthrough:
            raise refusal(entry, key, found[1])
        return runnable(entry, key, key_set, found[0], label)(*arguments)
""",
        """
class Dispatcher:
    def call(self, entry, arguments):
        key_set = key_set_of_stack(stack=arguments)
        return self.run(label="call", entry=entry, key_set=key_set, arguments=arguments)

    def redispatch(self, entry, key_set, arguments):
        return self.run(entry=entry, key_set=key_set, arguments=arguments, label="redispatch")

    def run(self, entry, key_set, arguments, label):
        table = table_of(entry=entry)
        kept = dispatch_key_set(key_set=key_set, table=table)
        key = highest_key(key_set=kept)
        kernel, origin = table[key]
        if kernel is None or kernel.is_fallthrough:
            raise refusal(entry=entry, key=key, origin=origin)
        return runnable(entry=entry, key=key, kept=kept, kernel=kernel, label=label)(*arguments)
""",
    ),
}
