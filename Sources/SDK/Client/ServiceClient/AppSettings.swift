public import KeyturnBase
public import KeyturnWire

/// What Box's console hands out for an application with a key: the file `config.json`.
public struct AppSettings: Sendable {
    /// The application, with its secret.
    public let application: ServiceApplication
    /// Its key, decrypted; `nil` if the file holds none.
    public let key: AssertionKey?
    /// The enterprise that the application belongs to; `nil` if the file names none.
    public let enterpriseID: String?
    /// The person whose tokens to ask for; `nil` if the file names none.
    public let userID: String?

    /// Reads the file.
    ///
    /// - Parameter bytes: The whole file.
    /// - Throws: `configuration.invalid` if it is something else, or its passphrase does not open the key.
    public init(parsing bytes: [UInt8]) throws(AuthError) {
        let limits = JSONValue.Limits(bytesMax: Limits.keyFileMaxBytes)
        guard let json = try? JSONValue(parsing: bytes, limits: limits), let settings = json["boxAppSettings"],
            let clientID = settings["clientID"]?.stringValue, let secret = settings["clientSecret"]?.stringValue
        else { throw AuthError(.misconfigured, "the file holds no application's settings") }
        application = ServiceApplication(clientID: clientID, clientSecret: secret)
        enterpriseID = Self.text(json["enterpriseID"])
        userID = Self.text(json["userID"])
        guard let auth = settings["appAuth"], let keyID = auth["publicKeyID"]?.stringValue, !keyID.isEmpty,
            let pem = auth["privateKey"]?.stringValue, !pem.isEmpty
        else {
            key = nil
            return
        }
        let passphrase = auth["passphrase"]?.stringValue.flatMap { $0.isEmpty ? nil : Secret($0) }
        key = try AssertionKey(keyID: keyID, pem: pem, passphrase: passphrase)
    }

    private static func text(_ json: JSONValue?) -> String? {
        guard let text = json?.stringValue, !text.isEmpty, text != "0" else { return nil }
        return text
    }

    /// For whom a token is asked: the person if the file names one, otherwise the application's account in the
    /// enterprise.
    public var subject: BoxSubject? {
        userID.map { .user($0) } ?? enterpriseID.map { .enterprise($0) }
    }
}

extension AppSettings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing.
    public var description: String { "AppSettings" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
