internal import KeyturnBase

/// What an app tells a journey. Hints: nothing in them is verified, and a user can change them.
public struct JourneyInputs: Codable, Hashable, Sendable {
    /// Numbers and booleans as JSON writes them.
    public let values: [String: String]

    public static let none = JourneyInputs(values: [:])

    private init(values: [String: String]) {
        self.values = values
    }

    /// Reads an object of texts, numbers and booleans, at most ``Limits/journeyInputsBytesMax`` long.
    ///
    /// - Returns: `nil` if it is anything else.
    public init?(json: String) {
        let limits = JSONValue.Limits(bytesMax: Limits.journeyInputsBytesMax, depthMax: 2)
        guard let members = (try? JSONValue(parsing: Array(json.utf8), limits: limits))?.objectValue else {
            return nil
        }
        var values: [String: String] = [:]
        for (name, value) in members {
            switch value {
            case .string(let text): values[name] = text
            case .array, .object, .null: return nil
            default: values[name] = String(decoding: value.serialized, as: UTF8.self)
            }
        }
        self.values = values
    }
}
