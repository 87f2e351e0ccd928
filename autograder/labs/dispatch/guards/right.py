"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "dispatch.local.DispatchKeyGuard": (
        """
class DispatchKeyGuard:
    def __init__(self, included=0, excluded=0):
        self.included = included
        self.excluded = excluded
        self.states = []

    def __enter__(self):
        state = local.state
        self.states.append(state)
        local.state = state_of(state.included | self.included, state.excluded | self.excluded)
        return self

    def __exit__(self, *about_the_exception):
        local.state = self.states.pop()
""",
        """
class DispatchKeyGuard:
    def __enter__(self):
        now = local.state
        self.new_included = self.included & ~now.included
        self.new_excluded = self.excluded & ~now.excluded
        local.state = state_of(now.included | self.new_included, now.excluded | self.new_excluded)

    def __exit__(self, kind, error, trace):
        now = local.state
        local.state = state_of(now.included & ~self.new_included, now.excluded & ~self.new_excluded)
        return False
""",
        """
class DispatchKeyGuard:
    def __enter__(self):
        if not hasattr(self, "stack"):
            self.stack = ()
        self.stack = (local.state, self.stack)
        both = (local.state.included | self.included, local.state.excluded | self.excluded)
        local.state = state_of(*both)

    def __exit__(self, kind, error, trace):
        local.state, self.stack = self.stack
""",
        """
class DispatchKeyGuard:
    def __enter__(self):
        self.before = local.state
        included = self.before.included | self.included
        local.state = state_of(excluded=self.before.excluded | self.excluded, included=included)
        return self

    def __exit__(self, *given):
        local.state = self.before
""",
    ),
}
