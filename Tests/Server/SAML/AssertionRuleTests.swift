import KeyturnBase
import Model
import SAML

import Testing

@Suite("What a signed assertion must say")
struct AssertionRuleTests {
    private typealias Message = TestProvider.Message

    private static func refuses(
        _ codes: String..., by reader: ResponseReader = TestProvider.reader(), isForced: Bool = false,
        location: SourceLocation = #_sourceLocation, _ change: (inout Message) -> Void
    ) throws {
        var message = Message()
        change(&message)
        let text = try TestProvider.signed(message)
        do throws(SAMLFault) {
            _ = try TestProvider.read(text, by: reader, isForced: isForced)
            Issue.record("accepted", sourceLocation: location)
        } catch {
            #expect(codes.contains(error.code), "\(error.code)", sourceLocation: location)
        }
    }

    @Test func `S-30, S-31: an assertion for another service, or for another of our connections`() throws {
        for other in ["https://other.example/metadata", "https://id.example/saml/other/metadata"] {
            try Self.refuses("audience") { $0.audiences = $0.audiences.changing(TestProvider.audience, other) }
        }
        for other in [
            "https://other.example/acs", "https://id.example/saml/other/acs", "https://id.example/saml/acme/acs/",
        ] {
            try Self.refuses("confirmation") { $0.recipient = other }
            try Self.refuses("destination") {
                $0.responseAttributes = $0.responseAttributes.changing(TestProvider.consumer, other)
            }
        }
    }

    @Test func `S-32, S-33, S-34: a response that answers no request of ours, or says so in one place alone`() throws {
        try Self.refuses("in_response_to") {
            $0.responseAttributes = $0.responseAttributes.changing(#" InResponseTo="_request""#, "")
        }
        try Self.refuses("in_response_to") {
            $0.responseAttributes = $0.responseAttributes.changing("_request", "_other")
        }
        try Self.refuses("confirmation") { $0.inResponseTo = "" }
        try Self.refuses("confirmation") { $0.inResponseTo = #" InResponseTo="_other""# }
        try Self.refuses("in_response_to") {
            $0.responseAttributes = #" Destination="https://id.example/saml/acme/acs""#
            $0.inResponseTo = ""
        }
    }

    @Test func `S-37: times that are over, to come, far away or unreadable`() throws {
        // 60 seconds of skew: 07:59:00 is the last second that is over.
        try Self.refuses("expired") { $0.conditions = #" NotOnOrAfter="2027-01-15T07:59:00Z""# }
        let text = try {
            var message = Message()
            message.conditions = #" NotOnOrAfter="2027-01-15T07:59:01Z""#
            return try TestProvider.signed(message)
        }()
        #expect(try TestProvider.read(text).email != nil)
        try Self.refuses("not_yet_valid") {
            $0.conditions = #" NotBefore="2027-01-15T08:01:01Z" NotOnOrAfter="2027-01-15T08:05:00Z""#
        }
        try Self.refuses("conditions") {
            $0.conditions = #" NotBefore="2027-01-15T07:00:00Z" NotOnOrAfter="2027-01-16T07:00:01Z""#
        }
        try Self.refuses("conditions") { $0.conditions = "" }
        for time in [
            "9999-01-15T08:05:00Z", "2027-01-15T08:05:00", "2027-01-15T08:05:00+01:00", "2027-01-15T08:05:60Z",
            "2027-02-29T08:05:00Z", "2027-01-15 08:05:00Z", "", "now",
        ] {
            try Self.refuses("time") { $0.conditions = " NotOnOrAfter=\"\(time)\"" }
        }
        try Self.refuses("confirmation") { $0.confirmedUntil = "" }
        try Self.refuses("confirmation") { $0.confirmedUntil = #" NotOnOrAfter="2027-01-15T07:59:00Z""# }
        try Self.refuses("confirmation") {
            $0.confirmedUntil = #" NotBefore="2027-01-15T07:00:00Z" NotOnOrAfter="2027-01-15T08:05:00Z""#
        }
        try Self.refuses("age") { $0.issued = "2027-01-15T07:53:59Z" }
        try Self.refuses("age") { $0.issued = "2027-01-15T08:01:01Z" }
    }

    @Test func `S-38: the audience is compared byte for byte, and must be there`() throws {
        try Self.refuses("audience") { $0.audiences = "" }
        for other in ["/", " ", "?"] {
            try Self.refuses("audience") {
                $0.audiences = $0.audiences.changing(TestProvider.audience, TestProvider.audience + other)
            }
        }
        try Self.refuses("audience") {
            $0.audiences +=
                "<saml:AudienceRestriction><saml:Audience>https://other.example</saml:Audience></saml:AudienceRestriction>"
        }
        try Self.refuses("condition") { $0.audiences += #"<x:Unknown xmlns:x="urn:x"/>"# }
    }

    @Test func `S-40: a response that says no, with an assertion all the same`() throws {
        let prefix = "urn:oasis:names:tc:SAML:2.0:status:"
        try Self.refuses("status_failed") { $0.status = prefix + "Responder" }
        try Self.refuses("status_denied") {
            $0.status =
                prefix + "Responder\"><samlp:StatusCode Value=\"" + prefix + "AuthnFailed\"/></samlp:StatusCode><x a=\""
        }
    }

    @Test func `F-37: a user who was not asked again`() throws {
        try Self.refuses("stale", isForced: true) {
            $0.statement = $0.statement.changing("07:59:30Z", "07:58:59Z")
        }
        try Self.refuses("authn_instant") { $0.statement = $0.statement.changing("07:59:30Z", "08:01:01Z") }
        try Self.refuses("statement") { $0.statement = "" }
        try Self.refuses("session_over") {
            $0.statement = $0.statement.changing(
                "SessionIndex", #"SessionNotOnOrAfter="2027-01-15T07:59:00Z" SessionIndex"#)
        }
    }

    @Test func `S-18, S-44, S-50: names that are no plain text`() throws {
        for subject in [
            "<saml:NameID>a<b/></saml:NameID>", "<saml:NameID></saml:NameID>", "<saml:NameID>a\u{202E}b</saml:NameID>",
            "<saml:NameID>\(String(repeating: "x", count: 10_240))</saml:NameID>", "<saml:NameID>a&#10;b</saml:NameID>",
        ] {
            try Self.refuses("name_id", "text") { $0.subject = subject }
        }
        try Self.refuses("subject") { $0.subject = "<saml:EncryptedID/>" }
        try Self.refuses("subject") { $0.subject += "<saml:BaseID/>" }
        try Self.refuses("name_id") { $0.subject = "" }
        try Self.refuses("repeated") { $0.subject += $0.subject }
        try Self.refuses("transient") { $0.subject = $0.subject.changing("persistent", "transient") }
    }

    @Test func `S-51: an attribute that says two things decides nothing`() throws {
        let second =
            #"<saml:AttributeStatement><saml:Attribute Name="mail"><saml:AttributeValue>ceo@a.example</saml:AttributeValue>"#
            + "</saml:Attribute></saml:AttributeStatement>"
        try Self.refuses("attribute_repeated") { $0.attributes += second }
        var message = Message()
        message.attributes += second.changing("mail", "MAIL")
        #expect(try TestProvider.read(try TestProvider.signed(message)).email == "kim@a.example")
    }

    @Test func `S-55: another spelling of our address is another address`() throws {
        for other in [
            "https://id.example:443/saml/acme/acs", "https://ID.example/saml/acme/acs",
            "https://id.example/saml/%61cme/acs",
        ] {
            try Self.refuses("destination") {
                $0.responseAttributes = $0.responseAttributes.changing(TestProvider.consumer, other)
            }
        }
        let unaddressed = Message().text.changing(" Destination=\"\(TestProvider.consumer)\"", "")
        TestProvider.refuses(try TestProvider.sign(unaddressed, .root), "destination")
    }

    @Test func `the provider is compared byte for byte`() throws {
        for other in ["https://idp.example/metadata/", "https://IDP.example/metadata", " https://idp.example/metadata"]
        {
            try Self.refuses("issuer") { $0.issuer = other }
        }
    }

    @Test func `a response is judged by the request that it answers alone, and its assertion counts once`() throws {
        let first = try TestProvider.read(try TestProvider.signed())
        let again = try TestProvider.read(try TestProvider.signed())
        #expect(first.replay == again.replay, "S-35, S-54: the mark is the assertion's, not the message's")
        var other = Message()
        other.assertionID = "_other"
        #expect(try TestProvider.read(try TestProvider.signed(other)).replay != first.replay)
    }
}
