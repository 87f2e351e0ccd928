"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.python_arg_parser.match": """
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
}
