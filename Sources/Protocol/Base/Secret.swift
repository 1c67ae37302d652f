/// A string that must never be printed: a password, a token, a client secret.
///
/// Its description is a placeholder, so that interpolating it into a log line by accident shows nothing, and
/// comparing two takes the same time wherever they differ.
public struct Secret: Sendable {
    private let value: String

    /// Wraps `value`, which nothing prints from now on.
    public init(_ value: String) {
        self.value = value
    }

    /// The secret itself. The loud name marks each place where it leaves its wrapping.
    public func exposed() -> String {
        value
    }
}

extension Secret: Equatable {
    public static func == (left: Secret, right: Secret) -> Bool {
        ConstantTime.equal(Array(left.value.utf8), Array(right.value.utf8))
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "«secret»" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Comparisons whose duration tells nothing about where two values differ.
public enum ConstantTime {
    /// Whether both sequences hold the same bytes. Takes time by length alone; lengths are not hidden.
    public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices {
            difference |= left[index] ^ right[index]
        }
        return difference == 0
    }
}
