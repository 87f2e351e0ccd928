"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.python_arg_parser.match": (
        """
def match(signature, args, kwargs):
    params = signature.parameters
    if signature.spreads and len(args) > 0:
        alone = params[0].accepts(args[0], params[0]) or (params[0].allow_none and args[0] is None)
        together = params[0].accepts(args, params[0])
        positional = [args] if together and not alone else list(args)
    else:
        positional = list(args)
    if len(positional) > signature.max_pos_args:
        return extra_args(signature, args)
    result, used = [], set()
    for i in range(len(params)):
        if i < len(positional):
            value = positional[i]
        elif keyword_value(params[i], kwargs) is not ABSENT:
            value = keyword_value(params[i], kwargs)
            used.add(i)
        elif params[i].default is not ABSENT:
            result.append(params[i].default)
            continue
        else:
            return missing_args(signature, i)
        if not params[i].accepts(value, params[i]):
            if value is not None or not params[i].allow_none:
                return wrong_type(signature, params[i], value, None if i in used else i + 1)
        result.append(value)
    return result if len(used) == len(kwargs) else extra_kwargs(signature, args, kwargs)
""",
        """
def match(signature, args, kwargs):
    def given_to(index, parameter, positional):
        if index < len(positional):
            return positional[index], index + 1
        return keyword_value(parameter, kwargs), None

    def complaint(index, parameter, value, place):
        if value is ABSENT:
            return missing_args(signature, index) if parameter.default is ABSENT else None
        if (value is None and parameter.allow_none) or parameter.accepts(value, parameter):
            return None
        return wrong_type(signature, parameter, value, place)

    positional = list(args)
    if signature.spreads and positional:
        first = signature.parameters[0]
        if not first.accepts(args[0], first) and first.accepts(tuple(positional), first):
            positional = [(*args,)]
    if len(positional) > signature.max_pos_args:
        return extra_args(signature, args)
    given = [given_to(index, parameter, positional) for index, parameter in enumerate(signature.parameters)]
    complaints = (complaint(n, p, *pair) for n, (p, pair) in enumerate(zip(signature.parameters, given)))
    if (first := next(filter(None, complaints), None)) is not None:
        return first
    if sum(place is None and value is not ABSENT for value, place in given) != len(kwargs):
        return extra_kwargs(signature, args, dict(kwargs))
    return [p.default if value is ABSENT else value for p, (value, _) in zip(signature.parameters, given)]
""",
    ),
}
