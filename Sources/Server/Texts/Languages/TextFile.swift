package import KeyturnBase

/// The file of one language: what it calls itself, who has read it, and its texts by key.
package struct TextFile: Sendable {
    /// Who answers for the texts.
    package enum Review: String, Sendable, CaseIterable {
        /// Read and signed for by a person who speaks the language.
        case reviewed
        /// Translated by a machine; no person has signed for it.
        case machineMade = "machine-made"
    }

    /// BCP 47, such as `de`.
    package let code: String
    /// What the language calls itself.
    package let name: String
    package let isRightToLeft: Bool
    package let review: Review?
    /// By key, such as `link.readyHeading.signIn`.
    package let texts: [String: String]

    package init(code: String, name: String, isRightToLeft: Bool, review: Review?, texts: [String: String]) {
        self.code = code
        self.name = name
        self.isRightToLeft = isRightToLeft
        self.review = review
        self.texts = texts
    }

    private static let limits = JSONValue.Limits(
        bytesMax: TextLimits.fileBytesMax, depthMax: TextLimits.keyDepthMax + 2, membersMax: TextLimits.textsMax)

    /// - Parameters:
    ///   - source: JSON: `language`, `name`, `direction` (`ltr` or `rtl`), `review`, and `texts`, an object of groups.
    ///   - code: the language that the file is expected to have.
    /// - Throws: ``TextProblem`` if it is not JSON, has an unknown member, or is for another language.
    package init(source: String, code: String) throws(TextProblem) {
        let value: JSONValue
        do { value = try JSONValue(parsing: source.utf8, limits: Self.limits) } catch {
            throw TextProblem("it is no JSON that can be read: \(error)")
        }
        guard case .object(let members) = value else { throw TextProblem("it is no JSON object") }
        for name in members.keys where !["language", "name", "direction", "review", "texts"].contains(name) {
            throw TextProblem(key: name, "the file has no such member")
        }
        func text(_ name: String) -> String? {
            guard case .string(let text)? = members[name] else { return nil }
            return text
        }
        guard text("language") ?? code == code else { throw TextProblem("its language is not \(code)") }
        let direction = text("direction") ?? "ltr"
        guard ["ltr", "rtl"].contains(direction) else {
            throw TextProblem(key: "direction", "it is neither ltr nor rtl")
        }
        let review = text("review")
        guard review == nil || review.flatMap(Review.init) != nil else {
            throw TextProblem(key: "review", "it is neither reviewed nor machine-made")
        }
        guard case .object(let groups)? = members["texts"] else { throw TextProblem(key: "texts", "it is missing") }
        self.init(
            code: code, name: text("name") ?? code, isRightToLeft: direction == "rtl",
            review: review.flatMap(Review.init), texts: try Self.flat(groups, below: "", depth: 0))
    }

    /// The texts of nested groups, by the whole key.
    package static func flat(
        _ members: [String: JSONValue], below prefix: String, depth: Int
    ) throws(TextProblem) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, value) in members {
            let key = prefix.isEmpty ? name : "\(prefix).\(name)"
            switch value {
            case .string(let text): texts[key] = text
            case .object(let inner) where depth < TextLimits.keyDepthMax:
                texts.merge(try flat(inner, below: key, depth: depth + 1)) { $1 }
            default: throw TextProblem(key: key, "it is neither a text nor a group of texts")
            }
        }
        guard texts.count <= TextLimits.textsMax else { throw TextProblem("there are too many texts") }
        return texts
    }
}
