internal import KeyturnWire

extension FormParameters {
    /// The value of a parameter in a form that holds each parameter once; `nil` if it is absent or empty (RFC 6749 §3.2).
    func single(_ name: String) -> String? {
        all.first { $0.name == name && !$0.value.isEmpty }?.value
    }
}
