public import KeyturnBase

/// What an authenticator needs. Shown once.
public struct TOTPAnswer: Equatable, Sendable {
    /// The key URI (`otpauth:`).
    public var provisioningURL: Secret
    /// A picture of it as PNG, in padded standard base64 without line breaks.
    public var image: Secret
    /// The seed for typing in, in base32.
    public var key: Secret

    /// An authenticator's secret in three forms.
    public init(provisioningURL: Secret, image: Secret, key: Secret) {
        self.provisioningURL = provisioningURL
        self.image = image
        self.key = key
    }
}

extension TOTPAnswer: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        provisioningURL = try body.requiredSecret("provisioningURL")
        image = try body.requiredSecret("image")
        key = try body.requiredSecret("key")
    }

    public var json: JSONValue {
        [
            "provisioningURL": .string(provisioningURL.exposed()), "image": .string(image.exposed()),
            "key": .string(key.exposed()),
        ]
    }
}
