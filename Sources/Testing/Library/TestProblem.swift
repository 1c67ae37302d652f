/// Why a test server did not do what the test asked. Its description says what was there instead.
public struct TestProblem: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
