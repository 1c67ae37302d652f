internal import KeyturnWire
public import Model

extension Client {
    /// Whether it may have streams of security events, which tell of every user: the operator registered it for the scope.
    public var mayHaveSignalStreams: Bool {
        registration == nil && [Scope.signalsManage, Scope.signalsRead].contains { scope?.contains($0) == true }
    }
}
