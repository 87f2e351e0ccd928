"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cpu.capability.compute_cpu_capability": """
import itertools

def compute_cpu_capability(features, asked):
    steps = itertools.takewhile(lambda item: all(features.get(name, False) for name in item[1]), NEEDED.items())
    names = ["DEFAULT", *(name for name, _ in steps)]
    wanted = asked.upper()
    known = list(VECTOR_BYTES)
    if wanted not in known:
        return names[-1]
    return names[min(len(names) - 1, known.index(wanted))]
""",
    "cpu.loops.Compiled": """
class Compiled(dict):
    def __missing__(self, kind):
        if kind in self.kinds:
            options = dict(sorted(self.options.items()))
            dispatcher = njit(self.function(kind), **options)
            self.setdefault(kind, dispatcher.compile(sig=self.signature(kind)))
            dispatcher.disable_compile()
            self.dispatchers.update({kind: dispatcher})
            return self[kind]
        name = SCALAR_TYPE_NAMES[kind]
        raise NotImplementedError('"' + self.name + '" not implemented for \\'' + name + "'")
""",
}
