/** Elements in one line each. */
/**
 * An element with attributes and children; text is always text. `onclick` and the like take
 * functions, and `true` or `false` sets or leaves out an attribute.
 */
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function")
            element.addEventListener(name.slice(2), value);
        else if (value !== false)
            element.setAttribute(name, value === true ? "" : String(value));
    }
    element.append(...children.filter((child) => child !== null));
    return element;
}
/** A section with a heading that names it. */
export function section(id, heading, ...children) {
    const title = h("h2", { id: `${id}-title` }, heading);
    return h("section", { id, "aria-labelledby": title.id }, title, ...children);
}
