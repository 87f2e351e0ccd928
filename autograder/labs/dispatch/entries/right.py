"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "dispatch.dispatcher.OperatorEntry": """
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
}
