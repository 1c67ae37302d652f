/// Admits SVG that draws and does nothing else. What is not on the list of elements is refused.
///
/// Browsers run no script in an `<img>`, and the file is served with a policy that forbids everything. This check is
/// for the day on which the file is used elsewhere.
enum SVGCheck {
    private static let namespace = "http://www.w3.org/2000/svg"
    private static let elements: Set<String> = [
        "svg", "g", "defs", "title", "desc", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon",
        "text", "tspan", "linearGradient", "radialGradient", "stop", "clipPath", "mask", "pattern", "symbol", "use",
        "style", "filter", "feBlend", "feColorMatrix", "feComposite", "feFlood", "feGaussianBlur", "feMerge",
        "feMergeNode", "feOffset",
    ]
    /// Deepest nesting.
    private static let depthMax = 64
    /// Most `use` elements: those that use each other double what is drawn with every two.
    private static let usesMax = 16
    /// What loads something, or runs, in a style.
    private static let styleWords = [
        "@import", "@font-face", "@namespace", "image(", "image-set(", "src(", "expression(",
    ]

    /// - Throws: ``LogoProblem`` with the first thing that is not for drawing.
    static func check(_ text: String) throws(LogoProblem) {
        var reader = SVGReader(text)
        var open: [String] = []
        var hasRoot = false
        var uses = 0
        // Of one style as a whole: comments and CDATA would cut a word in two.
        var style = ""
        while let part = try reader.next() {
            switch part {
            case .start(let name, let attributes, let isEmpty):
                guard !open.isEmpty || !hasRoot else { throw .damaged("something follows </svg>") }
                if open.isEmpty { try checkRoot(name, attributes) }
                hasRoot = true
                try checkElement(name)
                if open.last == "style" { throw .plain("a style has elements") }
                for attribute in attributes { try check(attribute) }
                if name == "use" { uses += 1 }
                guard uses <= usesMax else { throw .plain("it has more than \(usesMax) <use>") }
                if !isEmpty { open.append(name) }
                guard open.count <= depthMax else { throw .plain("its elements are nested too deep") }
            case .end(let name):
                guard open.popLast() == name else { throw .damaged("</\(SVGReader.shown(name))> ends nothing") }
                if name == "style" { try checkStyle(style) }
                style = ""
            case .text(let text):
                if open.isEmpty, text.contains(where: { !$0.isWhitespace }) {
                    throw .damaged(hasRoot ? "something follows </svg>" : "it is neither PNG nor SVG")
                }
                if open.last == "style" { style += text }
            }
        }
        guard hasRoot, open.isEmpty else { throw .damaged("it is no whole SVG") }
    }

    private static func checkRoot(_ name: String, _ attributes: [SVGReader.Attribute]) throws(LogoProblem) {
        guard name == "svg", attributes.contains(.init(name: "xmlns", value: namespace)) else {
            throw .damaged("it does not begin with <svg xmlns=\"\(namespace)\">")
        }
    }

    private static func checkElement(_ name: String) throws(LogoProblem) {
        guard elements.contains(name) else {
            throw .plain("it has <\(SVGReader.shown(name))>, which is not for drawing")
        }
    }

    private static func check(_ attribute: SVGReader.Attribute) throws(LogoProblem) {
        let shown = SVGReader.shown(attribute.name)
        // A prefix may stand for any namespace: what follows it counts.
        let name = attribute.name.split(separator: ":").last.map { $0.lowercased() } ?? ""
        if attribute.name == "xmlns", attribute.value != namespace {
            throw .plain("it has elements of another language")
        }
        if attribute.name.hasPrefix("xmlns") { return }
        if name.hasPrefix("on") { throw .plain("it has the event attribute \(shown)") }
        if name == "base" || name == "src" { throw .plain("it has the attribute \(shown), which refers elsewhere") }
        if name == "href", !attribute.value.hasPrefix("#") {
            throw .plain("\(shown) refers to \"\(SVGReader.shown(attribute.value))\", outside the file")
        }
        try checkStyle(attribute.value)
    }

    /// For styles, and for attributes that take what styles take.
    private static func checkStyle(_ text: String) throws(LogoProblem) {
        guard !text.contains("\\") else { throw .plain("a style has a \\, which could hide an address") }
        let plain = text.lowercased().filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" }
        if let word = styleWords.first(where: { plain.contains($0) }) { throw .plain("a style has \(word)") }
        for address in plain.components(after: "url(") where !address.hasPrefix("#") {
            throw .plain("a style refers to \"\(SVGReader.shown(String(address)))\", outside the file")
        }
        guard !plain.contains("javascript:") else { throw .plain("it has a javascript: address") }
    }
}

extension String {
    /// What follows each occurrence of a mark.
    fileprivate func components(after mark: String) -> [Substring] {
        var found: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: mark) {
            rest = rest[range.upperBound...]
            found.append(rest)
        }
        return found
    }
}
