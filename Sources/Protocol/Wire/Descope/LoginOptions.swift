public import KeyturnBase

/// What a sign-in asks for beside the proof itself (`loginOptions`).
public struct LoginOptions: Hashable, Sendable {
    /// Goes on from the session presented, and marks the new one as stepped up.
    public var stepup: Bool
    /// Goes on from the session presented, and adds this factor to its own.
    public var mfa: Bool
    /// Claims of the client's own, which the server does not check.
    public var customClaims: [String: JSONValue]
    /// Ends every other session of the user once this sign-in has succeeded.
    public var revokeOtherSessions: Bool
    /// Which template the message is made from; `nil`: the project's own.
    public var templateID: String?
    /// The language of the message, as a BCP 47 tag.
    public var locale: String?
    /// Values for the template.
    public var templateOptions: [String: String]
    /// The tenant that the token is for (`selectedTenant`, access keys).
    public var selectedTenant: String?

    /// Options; what is left out is not asked for.
    public init(
        stepup: Bool = false, mfa: Bool = false, customClaims: [String: JSONValue] = [:],
        revokeOtherSessions: Bool = false, templateID: String? = nil, locale: String? = nil,
        templateOptions: [String: String] = [:], selectedTenant: String? = nil
    ) {
        self.stepup = stepup
        self.mfa = mfa
        self.customClaims = customClaims
        self.revokeOtherSessions = revokeOtherSessions
        self.templateID = templateID
        self.locale = locale
        self.templateOptions = templateOptions
        self.selectedTenant = selectedTenant
    }

    /// Nothing beside the proof.
    public static let none = LoginOptions()

    /// Whether a session must be presented for this.
    public var needsSession: Bool { stepup || mfa }
}

extension LoginOptions: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        var options: [String: String] = [:]
        for (name, value) in try body.object("templateOptions") {
            guard let text = value.stringValue else {
                throw .invalidArguments.saying("The templateOptions field holds texts only")
            }
            options[name] = text
        }
        self.init(
            stepup: try body.flag("stepup") ?? false, mfa: try body.flag("mfa") ?? false,
            customClaims: try body.object("customClaims"),
            revokeOtherSessions: try body.flag("revokeOtherSessions") ?? false, templateID: try body.text("templateId"),
            locale: try body.text("locale"), templateOptions: options,
            selectedTenant: try body.text("selectedTenant"))
    }

    /// Names only what is asked for.
    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        members.add("stepup", stepup)
        members.add("mfa", mfa)
        members.add("customClaims", customClaims)
        members.add("revokeOtherSessions", revokeOtherSessions)
        members.add("templateId", templateID)
        members.add("locale", locale)
        members.add("templateOptions", templateOptions.mapValues { .string($0) })
        members.add("selectedTenant", selectedTenant)
        return .object(members)
    }
}
