public import KeyturnBase

/// One permission that a token has on one object alone: an element of `restricted_to` (Box, downscoped tokens).
public struct RestrictedObject: Hashable, Sendable {
    /// One name of a scope.
    public let scope: String
    /// The object's address, as it was asked for: `https://api.box.com/2.0/files/123`.
    public let resource: String

    /// An object, by its address, and the one scope that it is for.
    public init(scope: String, resource: String) {
        self.scope = scope
        self.resource = resource
    }

    /// What kind of object it is, from its address: `files` makes `file`; `nil` for an address of another shape.
    public var objectType: String? { parts?.type }
    /// The object's identifier, from its address; `nil` for an address of another shape.
    public var objectID: String? { parts?.id }

    /// The last two steps of the path, if the first of them is the plural of something.
    private var parts: (type: String, id: String)? {
        let path = resource.prefix { $0 != "?" && $0 != "#" }
        let steps = path.split(separator: "/", omittingEmptySubsequences: false)
        // scheme: / / host / ... / files / 123
        guard steps.count >= 5, let id = steps.last, !id.isEmpty else { return nil }
        let collection = steps[steps.count - 2]
        guard collection.hasSuffix("s"), collection.count > 1 else { return nil }
        return (String(collection.dropLast()), String(id))
    }
}

extension RestrictedObject {
    /// Reads one element; `nil` if it is none.
    public init?(json: JSONValue) {
        let object = json["object"]
        let resource =
            object?["resource"]?.stringValue ?? object?["id"]?.stringValue ?? json["resource"]?.stringValue
        guard let scope = json["scope"]?.stringValue, let resource else { return nil }
        self.init(scope: scope, resource: resource)
    }

    /// The element as the answer to an exchange has it. Box's clients read files and folders there and nothing else: of
    /// other objects the address stands beside, where they do not look.
    public var answerJSON: JSONValue {
        guard let objectType, ["file", "folder"].contains(objectType), objectID != nil else {
            return .object(["scope": .string(scope), "resource": .string(resource)])
        }
        return json
    }

    /// The element as tokens have it.
    public var json: JSONValue {
        var object: [String: JSONValue] = ["resource": .string(resource)]
        if let objectType, let objectID {
            object["type"] = .string(objectType)
            object["id"] = .string(objectID)
        }
        return .object(["scope": .string(scope), "object": .object(object)])
    }
}
