package import Model

/// An attribute, with the sub-attributes that lead to a value: `emails`, `type`. An extension is the first step.
package struct SCIMPath: Hashable, Sendable {
    /// One to three.
    package let steps: [SCIMAttribute]

    package init(_ steps: [SCIMAttribute]) {
        self.steps = steps
    }

    package var first: SCIMAttribute { steps[0] }
    package var last: SCIMAttribute { steps[steps.count - 1] }
    package var isReadOnly: Bool { steps.contains(where: \.isReadOnly) }

    /// As ``SCIMContent/Value/path`` has it.
    package var key: String { steps.map(\.key).joined(separator: ".") }

    /// Reads an attribute's name: with the URN of its schema or without, in any case (RFC 7644 §3.10).
    ///
    /// - Returns: `nil` if the schemas of the kind have no such attribute.
    package init?(_ text: String, _ kind: SCIMRecord.Kind) {
        let lower = text.lowercased()
        let core = SCIMSchemas.core(kind).lowercased() + ":"
        var steps: [SCIMAttribute] = []
        var rest = text
        if lower.hasPrefix(core) {
            rest = String(text.dropFirst(core.count))
        } else if kind == .user {
            let urn = SCIMSchemas.enterprise.lowercased()
            if lower == urn {
                self.init([SCIMSchemas.enterpriseAttribute])
                return
            }
            if lower.hasPrefix(urn + ":") {
                steps = [SCIMSchemas.enterpriseAttribute]
                rest = String(text.dropFirst(urn.count + 1))
            }
        }
        let names = rest.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        for (index, name) in names.enumerated() {
            let found =
                steps.last?.part(name)
                ?? (index == 0 && steps.isEmpty ? SCIMSchemas.all(kind).first { $0.key == name.lowercased() } : nil)
            guard let found else { return nil }
            steps.append(found)
        }
        self.init(steps)
    }
}
