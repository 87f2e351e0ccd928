"""Read by nbgrader and formgrader when they are started in this folder."""

c = get_config()  # noqa: F821
load_subconfig("autograder/author/nbgrader_config.py")  # noqa: F821
