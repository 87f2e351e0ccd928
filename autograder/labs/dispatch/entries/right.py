"""Right answers written in another way than the engine's."""

OTHER_ENTRY = """
class OperatorEntry:
    def register_schema(self, schema, tags=(), debug=""):
        if self.schema is not None:
            raise RuntimeError(f"{self.name} is defined, see {self.debug}")
        self.schema, self.tags, self.debug = schema, tuple(tags), debug

    def register_kernel(self, key, kernel):
        self.registered.setdefault(key, []).insert(0, kernel)
        self.forget()

    def deregister_kernel(self, key, kernel):
        if kernel not in self.registered.get(key, []):
            raise RuntimeError("not registered")
        self.registered[key].remove(kernel)
        if not self.registered[key]:
            del self.registered[key]
        self.forget()
"""

RIGHT_ANSWERS = {
    "dispatch.registry.OperatorEntry": (
        """
class OperatorEntry:
    def register_schema(self, schema, tags=(), debug=""):
        if self.schema:
            raise RuntimeError(str(schema) + " comes second; the first one came from " + self.debug)
        self.tags = tuple(tags)
        self.debug = debug
        self.schema = schema
        self.forget()

    def register_kernel(self, key, kernel):
        if key in self.registered:
            self.registered[key] = [kernel] + self.registered[key]
        else:
            self.registered[key] = [kernel]
        for resolved in (self.calls, self.redispatches):
            resolved.clear()

    def deregister_kernel(self, key, kernel):
        left = [other for other in self.registered.get(key, ()) if other is not kernel]
        if len(left) == len(self.registered.get(key, ())):
            raise RuntimeError("there is nothing to take away")
        self.registered[key] = left
        if left == []:
            self.registered.pop(key)
        for resolved in (self.calls, self.redispatches):
            resolved.clear()
""",
        OTHER_ENTRY,
    ),
}
