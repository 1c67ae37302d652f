internal import KeyturnWire

/// The way through a long list, a page at a time.
struct ConsolePager: Sendable {
    /// The address of the list.
    let path: String
    /// The conditions of the list, which its other pages keep.
    let query: [(name: String, value: String)]
    /// From 0.
    let page: Int
    let size: Int
    let total: Int

    /// The values for `consolePager.mustache`.
    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleStrings.self]
        let first = page * size + 1
        let last = min(total, (page + 1) * size)
        var values: [String: Any] = [
            "previousText": text.previous, "nextText": text.next,
            "range": total == 0 ? text.none : text.range(min(first, max(last, 1)), last, of: total),
        ]
        if page > 0 { values["previous"] = address(page - 1) }
        if last < total { values["next"] = address(page + 1) }
        return values
    }

    private func address(_ page: Int) -> String {
        var fields = FormParameters()
        for (name, value) in query { fields.append(name, value) }
        if page > 0 { fields.append("page", String(page)) }
        return fields.isEmpty ? path : "\(path)?\(fields.encoded)"
    }
}
