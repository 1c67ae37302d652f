internal import KeyturnBase
package import KeyturnWire
internal import Model

extension SignUpDetails {
    /// Limits each member of a sign-up, so that no user is too large to be changed later.
    ///
    /// - Throws: ``MethodProblem/invalidArguments`` for a name that is too long, or a malformed address.
    func requireSmall() throws(MethodProblem) {
        let names = [("name", name), ("givenName", givenName), ("middleName", middleName), ("familyName", familyName)]
        for (member, text) in names where (text?.utf8.count ?? 0) > Limits.descriptionBytesMax {
            throw .invalidArguments.saying("The \(member) field is too long")
        }
        if let email {
            guard let address = Identifier(loginID: email), address.kind == .email else {
                throw .invalidArguments.saying("The email field is no such address")
            }
            try address.requireNoFlaw("email")
        }
        if let phone { try Identifier.requireDialled(Identifier(loginID: phone), "phone") }
    }
}

extension Identifier {
    /// - Throws: ``MethodProblem/invalidArguments`` for one that no account is given.
    package func requireNoFlaw(_ member: String) throws(MethodProblem) {
        if let flaw { throw .invalidArguments.saying("The \(member) field \(flaw)") }
    }

    /// Whether it is a telephone number of seven to fifteen digits (ITU-T E.164).
    package var isDialled: Bool {
        let digits = value.utf8.dropFirst()
        return kind == .phone && (7...15).contains(digits.count)
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// - Throws: ``MethodProblem/invalidArguments`` for anything but such a number: otherwise the client could choose
    ///   the calling code under which the message is counted.
    static func requireDialled(_ phone: Identifier?, _ member: String) throws(MethodProblem) {
        guard phone?.isDialled == true else {
            throw .invalidArguments.saying("The \(member) field is no telephone number")
        }
    }
}
