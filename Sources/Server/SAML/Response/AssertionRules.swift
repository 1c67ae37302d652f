internal import KeyturnBase
internal import Model

/// What an assertion must say, once its signature is verified (wire sheet §3.2, checks 16 to 22).
struct AssertionRules {
    let settings: SAMLConnectionSettings
    /// Our entityID, and where responses are sent.
    let audience: String
    let consumer: String
    /// Of our request; `nil`: the provider began, and no element may name a request.
    let requestID: String?
    let requestedAt: UnixTime
    let isForced: Bool
    let now: UnixTime

    private static let bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
    private static let daySeconds: Int64 = 86_400
    private static let ageSecondsMax: Int64 = 300
    private static let unsolicitedAgeSecondsMax: Int64 = 180
    private var skew: Int64 { min(max(settings.skewSeconds, 0), 180) }

    private var ageSecondsMax: Int64 { requestID == nil ? Self.unsolicitedAgeSecondsMax : Self.ageSecondsMax }

    /// What later steps need.
    struct Accepted {
        let subject: XMLElement
        let expiresAt: UnixTime
        /// Not before the question that it answers, although the provider's clock may be slow.
        let issuedAt: UnixTime
        let authenticatedAt: UnixTime
        let context: String?
        let sessionIndex: String?
        let sessionEndsAt: UnixTime?
    }

    func check(_ assertion: XMLElement) throws(SAMLFault) -> Accepted {
        guard let issuer = try assertion.one("Issuer") else { throw SAMLFault("issuer") }
        try check(issuer: issuer)
        guard let issued = assertion["IssueInstant"] else { throw SAMLFault("issue_instant") }
        let issuedAt = try SAMLTime.read(issued)
        guard issuedAt <= now + skew, now <= issuedAt + ageSecondsMax + skew else { throw SAMLFault("age") }
        guard let subject = try assertion.one("Subject") else { throw SAMLFault("subject") }
        guard subject.all("BaseID").isEmpty, subject.all("EncryptedID").isEmpty else { throw SAMLFault("subject") }
        if requestID == nil { try Self.answersNothing(subject) }
        let confirmedUntil = try confirmation(of: subject)
        let conditionsUntil = try conditions(of: assertion)
        return try statement(
            of: assertion, subject, issuedAt: requestID == nil ? issuedAt : max(issuedAt, requestedAt),
            until: max(confirmedUntil, conditionsUntil))
    }

    /// - Throws: ``SAMLFault`` if an issuer is another than the connection's, byte for byte.
    func check(issuer: XMLElement) throws(SAMLFault) { try Self.check(issuer: issuer, is: settings.entityID) }

    static func check(issuer: XMLElement, is entityID: String) throws(SAMLFault) {
        let entity = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity"
        guard try issuer.plainText() == entityID, issuer["Format"] ?? entity == entity else {
            throw SAMLFault("issuer")
        }
    }

    /// An answer to a request of another browser, whose own mark was cut away around it, stays an answer.
    private static func answersNothing(_ subject: XMLElement) throws(SAMLFault) {
        try subject.visit { element throws(SAMLFault) in
            guard element["InResponseTo"] == nil else { throw SAMLFault("in_response_to") }
        }
    }

    /// One confirmation that fits is enough; what fits is decided for each alone.
    private func confirmation(of subject: XMLElement) throws(SAMLFault) -> UnixTime {
        for confirmation in subject.all("SubjectConfirmation") where confirmation["Method"] == Self.bearer {
            guard let data = try confirmation.one("SubjectConfirmationData"), data["Recipient"] == consumer,
                data["InResponseTo"] == requestID, data["NotBefore"] == nil, let end = data["NotOnOrAfter"]
            else { continue }
            let time = try SAMLTime.read(end)
            if now < time + skew { return time }
        }
        throw SAMLFault("confirmation")
    }

    private func conditions(of assertion: XMLElement) throws(SAMLFault) -> UnixTime {
        guard let conditions = try assertion.one("Conditions") else { throw SAMLFault("conditions") }
        guard let endText = conditions["NotOnOrAfter"] else { throw SAMLFault("conditions") }
        let end = try SAMLTime.read(endText)
        guard now < end + skew else { throw SAMLFault("expired") }
        if let startText = conditions["NotBefore"] {
            let start = try SAMLTime.read(startText)
            guard start <= now + skew else { throw SAMLFault("not_yet_valid") }
            guard start < end, end <= start + Self.daySeconds else { throw SAMLFault("conditions") }
        } else {
            guard end <= now + Self.daySeconds else { throw SAMLFault("conditions") }
        }
        let known = ["AudienceRestriction", "OneTimeUse", "ProxyRestriction"]
        guard conditions.children.allSatisfy({ $0.space == XMLElement.Space.assertion && known.contains($0.name) })
        else { throw SAMLFault("condition") }
        let restrictions = conditions.all("AudienceRestriction")
        guard !restrictions.isEmpty else { throw SAMLFault("audience") }
        for restriction in restrictions {
            var isNamed = false
            for name in restriction.all("Audience") {
                if try name.plainText() == audience { isNamed = true }
            }
            guard isNamed else { throw SAMLFault("audience") }
        }
        return end
    }

    private func statement(
        of assertion: XMLElement, _ subject: XMLElement, issuedAt: UnixTime, until expiresAt: UnixTime
    ) throws(SAMLFault) -> Accepted {
        guard let statement = assertion.all("AuthnStatement").first, let instant = statement["AuthnInstant"] else {
            throw SAMLFault("statement")
        }
        let time = try SAMLTime.read(instant)
        guard time <= now + skew else { throw SAMLFault("authn_instant") }
        guard !isForced || time + skew >= requestedAt else { throw SAMLFault("stale") }
        var sessionEnd: UnixTime?
        if let text = statement["SessionNotOnOrAfter"] {
            let end = try SAMLTime.read(text)
            guard now < end + skew else { throw SAMLFault("session_over") }
            sessionEnd = end
        }
        let context = try statement.one("AuthnContext")?.one("AuthnContextClassRef")?.plainText()
        return Accepted(
            subject: subject, expiresAt: expiresAt, issuedAt: issuedAt, authenticatedAt: time,
            context: context.flatMap(Self.bounded),
            sessionIndex: statement["SessionIndex"].flatMap(Self.bounded), sessionEndsAt: sessionEnd)
    }

    private static func bounded(_ text: String) -> String? { (1...512).contains(text.utf8.count) ? text : nil }
}
