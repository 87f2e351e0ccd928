"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "dispatch.boxing.stack_of": """
def stack_of(schema, args, kwargs):
    places = {argument.name: place for place, argument in enumerate(schema.arguments)}
    if len(args) > len(schema.positional):
        raise RuntimeError("too many arguments by position")
    given = dict(enumerate(args))
    for name, value in kwargs.items():
        place = places.get(name, -1)
        if place < 0 or place in given:
            raise RuntimeError(name)
        given[place] = value
    stack = [argument.default for argument in schema.arguments]
    for place, argument in enumerate(schema.arguments):
        if place in given:
            stack[place] = converted(schema, place, given[place])
        elif not argument.has_default:
            raise RuntimeError("nothing is given for " + argument.name)
    return stack
""",
}
