import KeyturnBase
import KeyturnWire

extension JSONValue {
    var text: String { String(decoding: serialized, as: UTF8.self) }
}
