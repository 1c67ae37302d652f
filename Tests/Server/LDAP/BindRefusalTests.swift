import Testing

@testable import LDAP

@Suite("LDAP: refused passwords")
struct BindRefusalTests {
    @Test(
        arguments: [
            ("52e", BindRefusal.wrong), ("525", .unknownUser), ("530", .notNow), ("531", .notNow), ("532", .expired),
            ("533", .disabled), ("701", .accountExpired), ("773", .mustChange), ("775", .locked), ("fff", .wrong),
        ])
    func `L-7: Active Directory says why, in the text of result 49`(_ data: String, _ refusal: BindRefusal) {
        let text = "80090308: LdapErr: DSID-0C09044E, comment: AcceptSecurityContext error, data \(data), v2580"
        #expect(BindRefusal(code: 49, diagnostic: text) == refusal)
    }

    @Test func `L-7: other directories say the code alone, and troubles are no refusals`() {
        #expect(BindRefusal(code: 49, diagnostic: "") == .wrong)
        #expect(BindRefusal(code: 49, diagnostic: "data") == .wrong)
        #expect(BindRefusal(code: 53, diagnostic: "unauthenticated bind (DN with no password) disallowed") == .wrong)
        for code: Int32 in [0, 3, 51, 52, -1, -5, -11, 10, 13] {
            #expect(BindRefusal(code: code, diagnostic: "data 52e") == nil, "\(code)")
        }
        #expect(LDAPFault.result(-1, diagnostic: "").isTrouble && LDAPFault.overdue.isTrouble)
        #expect(!LDAPFault.insecure.isTrouble && !LDAPFault.result(49, diagnostic: "").isTrouble)
    }
}
