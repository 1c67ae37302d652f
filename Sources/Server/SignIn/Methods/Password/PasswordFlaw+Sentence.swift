internal import Model

extension PasswordPolicy.Flaw {
    /// What is wrong with a new password, for the developer of a client.
    var sentence: String {
        switch self {
        case .tooShort(let minLength): "The password needs at least \(minLength) characters"
        case .tooLong: "The password is too long"
        case .lacksLowercase: "The password needs a lower-case letter"
        case .lacksUppercase: "The password needs an upper-case letter"
        case .lacksNumber: "The password needs a digit"
        case .lacksNonAlphanumeric: "The password needs a character that is neither letter nor digit"
        case .breached: "The password stands in a list of stolen ones"
        case .common: "The password is among those that everybody tries first"
        case .containsIdentifier: "The password is made of the user's own name"
        case .containsNUL: "The password contains a NUL character"
        }
    }
}
