internal import KeyturnBase

/// Stands for the reader of client data, which needs a digest that is not here; the adapters do not read any.
struct ClientData {
    let challenge: String

    init(_ bytes: [UInt8]) throws(WebAuthnProblem) {
        guard let json = try? JSONValue(parsing: bytes), let challenge = json["challenge"]?.stringValue else {
            throw WebAuthnProblem(.clientDataMalformed, "no challenge")
        }
        self.challenge = challenge
    }
}
