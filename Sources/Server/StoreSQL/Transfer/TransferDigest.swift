/// SHA-256 of what comes in pieces. The program gives it: no cryptography is here.
package protocol TransferDigest {
    mutating func update(_ bytes: [UInt8])
    /// Of all pieces so far.
    var value: [UInt8] { get }
}
