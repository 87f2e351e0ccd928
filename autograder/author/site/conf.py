"""Sphinx's settings for the site; `python -m autograder.author.site` names this folder and gives the edition."""

project = "Inside the Tensor"
author = "the Inside the Tensor authors"
project_copyright = author
html_title = project
extensions = ["myst_nb", "autograder.author.site.sphinx_parts"]
root_doc = "index"

nb_execution_mode = "off"  # notebooks come with their outputs
nb_merge_streams = True
nb_ipywidgets_js: dict[str, dict] = {}  # no script from elsewhere
nb_mime_priority_overrides = [("html", "image/svg+xml", 5)]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
html_math_renderer = "mathml"
suppress_warnings = [
    "misc.highlighting_failure",  # code that shows a mistake
    "myst.header",  # a cell may begin with a smaller heading
]

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_copy_source = False  # the sources hold the solutions
html_show_sourcelink = False
html_show_search_summary = False  # a browser reads no second page from the disk
html_theme_options = {
    "navigation_with_keys": False,
    "light_css_variables": {"site-code": "#f6f8fa"},
    "dark_css_variables": {"site-code": "#1d2024"},
}
highlight_language = "text"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
toc_object_entries = False
add_module_names = False
