// A code block, table or formula that is wider than the page can be scrolled by keyboard: it takes the focus.
const WIDE = "article pre, article .table-wrapper, article div.math";

function takeFocus() {
  for (const each of document.querySelectorAll(WIDE)) {
    if (each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight) each.tabIndex = 0;
    else each.removeAttribute("tabindex");
  }
}

addEventListener("load", takeFocus);
addEventListener("resize", takeFocus);
addEventListener("toggle", takeFocus, true);
