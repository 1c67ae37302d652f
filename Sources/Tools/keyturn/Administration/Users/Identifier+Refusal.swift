internal import Model

extension Identifier {
    /// - Throws: ``CommandFailure`` for a login ID that no user is given.
    func requireNoFlaw() throws(CommandFailure) {
        if let flaw { throw CommandFailure.refused("\(shown) cannot be a login ID: it \(flaw).") }
    }
}
