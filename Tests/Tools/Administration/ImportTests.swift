import Foundation
import KeyturnBase
import Model
import SignIn
import StoreSQL
import Testing

@testable import keyturn

@Suite("Bringing in users")
struct ImportTests {
    let place: Place
    static let hash = "$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

    init() throws {
        place = try Place()
    }

    private func words(_ entries: [ImportReport.Entry]) -> [String] { entries.map(\.word.rawValue) }

    private static let ann = """
        {"sub":"a1","login_ids":["Ann@Example.com","ann"],"email":"ann@example.com","email_verified":true,\
        "name":"Ann","claims":{"shoe":42},"attributes":{"team":"blue"},"status":"invited","created_at":"2020-01-02T03:04:05.678Z",\
        "password_hash":"\(hash)"}
        """

    @Test func `a row becomes a user with everything that it says`() async throws {
        #expect(words(try await place.bring(Self.ann)) == ["created"])
        let account = try #require(try await place.account("ANN@example.com"))
        #expect(account.user.id.rawValue == "a1")
        #expect(account.user.status == .invited)
        #expect(account.user.createdAt.rawValue == 1_577_934_245)
        #expect(account.user.claims["shoe"] == 42 && account.user.claims["name"] == "Ann")
        #expect(account.user.attributes == ["team": "blue"])
        #expect(account.passwordHash == Self.hash)
        #expect(Set(account.identifiers.values) == [.verified])
        #expect(account.identifiers.count == 2)
    }

    @Test func `the same row again changes nothing; a different one is refused, skipped or taken over, as asked`()
        async throws
    {
        _ = try await place.bring(Self.ann)
        #expect(words(try await place.bring(Self.ann)) == ["unchanged"])
        let other = #"{"sub":"a1","name":"Anna"}"#
        let refused = try await place.bring(other)
        #expect(words(refused) == ["refused"])
        #expect(refused[0].reason?.contains("--on-conflict") == true)
        let skipped = try await place.bring(other, UserImportPlan(rule: .skip))
        #expect(words(skipped) == ["unchanged"] && skipped[0].reason != nil)
        #expect(try await place.account("ann")?.user.claims["name"] == "Ann")
        #expect(words(try await place.bring(other, UserImportPlan(rule: .update))) == ["updated"])
        let account = try #require(try await place.account("ann"))
        #expect(account.user.claims["name"] == "Anna")
        #expect(account.user.claims["shoe"] == 42 && account.identifiers.count == 2, "what was not said stays")
    }

    @Test func `a present password stays, unless replacing was asked for`() async throws {
        _ = try await place.bring(Self.ann)
        let newer = Self.hash.replacingOccurrences(of: "$AAAA", with: "$BBBB")
        let row = Self.ann.replacingOccurrences(of: Self.hash, with: newer)
        #expect(words(try await place.bring(row, UserImportPlan(rule: .update))) == ["unchanged"])
        #expect(try await place.account("ann")?.passwordHash == Self.hash)
        #expect(
            words(try await place.bring(row, UserImportPlan(rule: .update, replacesPasswords: true))) == ["updated"])
        #expect(try await place.account("ann")?.passwordHash == newer)
    }

    @Test func `an old file takes no verification back`() async throws {
        _ = try await place.bring(Self.ann)
        let older = #"{"login_ids":["ann@example.com","ann"],"email":"ann@example.com","email_verified":false}"#
        #expect(words(try await place.bring(older)) == ["unchanged"])
    }

    @Test func `a clear password is hashed once, and the row is unchanged afterwards`() async throws {
        let row = #"{"email":"bob@example.com","password":"a long enough phrase"}"#
        #expect(words(try await place.bring(row)) == ["created"])
        let hash = try #require(try await place.account("bob@example.com")?.passwordHash)
        #expect(hash.hasPrefix("$argon2id$") && !hash.contains("phrase"))
        #expect(words(try await place.bring(row)) == ["unchanged"])
        #expect(
            words(try await place.bring(row, UserImportPlan(rule: .update, replacesPasswords: true))) == ["unchanged"])
        #expect(try await place.account("bob@example.com")?.passwordHash == hash)
    }

    /// A public test vector of crypt_blowfish.
    @Test func `a hash of another system comes along, and its owner signs in with it`() async throws {
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        #expect(words(try await place.bring("{\"email\":\"a@b.cd\",\"password_hash\":\"\(hash)\"}")) == ["created"])
        let stored = try #require(try await place.account("a@b.cd")?.passwordHash)
        let passwords = Passwords(pool: HashingPool(threads: 1), ambient: .live)
        guard case .rightAndRehashed = try await passwords.check(Secret("U*U"), against: stored) else {
            Issue.record("the password was not taken")
            return
        }
        #expect(try await passwords.check(Secret("U*V"), against: stored) == .wrong)
        let firebase = """
            {"email":"f@b.cd","password_hash":{"hash":"AAAA","salt":"BBBB","separator":"Bw==","signer_key":"AAAA"}}
            """
        #expect(words(try await place.bring(firebase)) == ["refused"], "a hash is as long as a hash")
    }

    @Test func `names that stand twice in the file are refused where they stand the second time`() async throws {
        let rows = """
            {"sub":"1","login_ids":["x@example.com"]}
            {"sub":"2","login_ids":["y@example.com","X@EXAMPLE.COM "]}
            {"sub":"1","login_ids":["z@example.com"]}
            {"sub":"3","login_ids":["y@example.com"]}
            """
        for plan in [UserImportPlan(isRehearsal: true), UserImportPlan(rule: .update)] {
            let entries = try await place.bring(rows, plan)
            #expect(words(entries) == ["created", "refused", "refused", "created"])
            #expect(entries[1].reason?.contains("line 1") == true)
        }
    }

    @Test func `a name that belongs to somebody else is refused, also when updating`() async throws {
        _ = try await place.bring("{\"sub\":\"1\",\"email\":\"a@b.cd\"}\n{\"sub\":\"2\",\"email\":\"e@f.gh\"}")
        let thief = #"{"sub":"2","login_ids":["e@f.gh","a@b.cd"]}"#
        let stranger = #"{"sub":"9","login_ids":["a@b.cd"]}"#
        for rule in UserImport.Rule.allCases {
            #expect(words(try await place.bring(thief, UserImportPlan(rule: rule))) == ["refused"])
            #expect(words(try await place.bring(stranger, UserImportPlan(rule: rule))) == ["refused"])
        }
        #expect(try await place.account("a@b.cd")?.user.id.rawValue == "1")
        #expect(try place.userCount() == 2)
    }

    @Test func `93: whoever took somebody's address in advance is not made its owner by an import`() async throws {
        // A stranger signed up with it: nothing was proved.
        _ = try await place.bring(#"{"sub":"squatter","login_ids":["ann@example.com"],"email":"ann@example.com"}"#)
        let rows = [
            Self.ann, #"{"login_ids":["ann@example.com"],"email":"ann@example.com","email_verified":true}"#,
            #"{"email":"ann@example.com","email_verified":true,"password_hash":"\#(Self.hash)"}"#,
        ]
        for row in rows {
            for rule in UserImport.Rule.allCases {
                let entries = try await place.bring(row, UserImportPlan(rule: rule, replacesPasswords: true))
                #expect(entries[0].word != .updated && entries[0].word != .created, "\(rule) \(row)")
            }
        }
        let account = try #require(try await place.account("ann@example.com"))
        #expect(account.user.id.rawValue == "squatter" && account.passwordHash == nil)
        #expect(!account.isEmailVerified && Set(account.identifiers.values) == [.unverified])
        #expect(try place.userCount() == 1)
    }

    @Test func `a login ID that looks like another one is refused with its line, and its spelling is shown`()
        async throws
    {
        let rows = """
            {"login_ids":["ad\u{200B}minz"]}
            {"login_ids":["bob"]}
            {"email":"maria@example.test\u{202E}"}
            {"login_ids":["\u{430}dmin"]}
            """
        let entries = try await place.bring(rows)
        #expect(words(entries) == ["refused", "created", "refused", "refused"])
        #expect(entries.map(\.line) == [1, 2, 3, 4])
        #expect(entries[0].reason?.contains("[U+200B]") == true && entries[2].reason?.contains("[U+202E]") == true)
        #expect(try place.userCount() == 1)
    }

    @Test func `a rehearsal says what would happen, conflicts too, and writes nothing`() async throws {
        _ = try await place.bring(Self.ann)
        let rows =
            "\(Self.ann)\n{\"email\":\"new@example.com\"}\n{\"sub\":\"a1\",\"name\":\"B\"}\n{\"sub\":\"z\",\"login_ids\":[\"ann\"]}"
        let entries = try await place.bring(rows, UserImportPlan(isRehearsal: true))
        #expect(words(entries) == ["unchanged", "created", "refused", "refused"])
        #expect(try place.userCount() == 1)
    }

    @Test func `tenants and roles are named by people and kept by identifier`() async throws {
        let row = #"{"email":"a@b.cd","roles":["support"],"tenants":[{"id":"ent-1","roles":["admin"]},"ent-2"]}"#
        #expect(words(try await place.bring(row)) == ["refused"])
        for arguments in [
            ["tenant", "create", "ent-1"], ["tenant", "create", "ent-2"], ["role", "create", "support"],
        ] {
            #expect(try place.run(arguments[0], arguments[1], arguments[2]).status == 0)
        }
        #expect(try place.run("role", "create", "admin", "--tenant", "ent-1", "--permission", "users.read").status == 0)
        #expect(words(try await place.bring(row)) == ["created"])
        #expect(words(try await place.bring(row)) == ["unchanged"])
        let shown = try place.run("user", "show", "a@b.cd", "--json")
        let json = try JSONValue(parsing: shown.output.utf8)
        #expect(json["roles"] == ["support"])
        #expect(json["tenants"] == [["id": "ent-1", "roles": ["admin"]], ["id": "ent-2", "roles": []]])
        #expect(
            try JSONValue(parsing: place.run("user", "list", "--role", "admin", "--json").output.utf8).arrayValue?.count
                == 1)
        #expect(try place.run("user", "unassign", "a@b.cd", "--tenant", "ent-1").status == 0)
        #expect(try JSONValue(parsing: place.run("user", "list", "--tenant", "ent-1", "--json").output.utf8) == [])
        #expect(try place.run("user", "list", "--tenant", "ent-9").status == 2)
    }

    @Test(arguments: [
        #"{"email":"no address"}"#, #"{"email":"a@b.cd","emial":"x"}"#, #"{"email":"a@b.cd","name":"\u0007"}"#,
        #"{"email":"a@b.cd","name":"\u0000"}"#, #"{"email":"a@b.cd","name":7}"#, #"{"name":"nobody"}"#, "{}",
        #"{"login_ids":["a@b.cd","A@B.CD"]}"#, #"{"login_ids":[7]}"#, #"{"login_ids":["\u0000"]}"#,
        #"{"email":"a@b.cd","claims":{"iss":"me"}}"#, #"{"email":"a@b.cd","claims":{"email":"x@y.z"}}"#,
        #"{"email":"a@b.cd","created_at":1486324188000}"#, #"{"email":"a@b.cd","created_at":"yesterday"}"#,
        #"{"email":"a@b.cd","password":"x","password_hash":"$argon2id$v=19$m=64,t=1,p=1$AAAA$AAAA"}"#,
        #"{"email":"a@b.cd","password_hash":"5f4dcc3b5aa765d61d8327deb882cf99"}"#,
        #"{"email":"a@b.cd","phone_number":"1.5551E+10"}"#, #"{"email":"a@b.cd","totp_secret":"not a key!"}"#,
        #"{"email":"a@b.cd","totp_secret":"JBSWY3DP"}"#, #"{"email":"a@b.cd","totp_secret":7}"#,
        #"{"email":"a@b.cd","picture":"javascript:alert(1)"}"#,
        #"{"sub":"with space"}"#, #"{"email":"a@b.cd","status":"great"}"#,
        #"{"email":"a@b.cd","email_verified":"true"}"#,
    ])
    func `a row that cannot be right is refused with a sentence, and the next one is brought in`(_ row: String)
        async throws
    {
        let entries = try await place.bring("\(row)\n{\"sub\":\"next\"}\n")
        #expect(words(entries) == ["refused", "created"])
        let reason = try #require(entries.first?.reason)
        #expect(!reason.contains("5f4dcc3b") && !reason.contains("1.5551"), "values are not quoted")
        #expect(!reason.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(reason.hasSuffix(".") || reason.hasSuffix("?") || reason.contains("keyturn "))
    }

    @Test func `a user has no more login IDs than a user can have`() async throws {
        let many = (0...Limits.identifiersOfUserMax).map { "\"user\($0)\"" }.joined(separator: ",")
        #expect(words(try await place.bring("{\"login_ids\":[\(many)]}")) == ["refused"])
    }

    @Test func `reading goes on where it is told to`() async throws {
        let rows = (1...5).map { "{\"sub\":\"\($0)\"}" }.joined(separator: "\n")
        #expect(try await place.bring(rows, from: 4).map(\.line) == [4, 5])
        #expect(try place.userCount() == 2)
    }

    @Test func `CSV brings in the same users as JSON`() async throws {
        let csv = """
            login_ids,email,email_verified,phone_number,name,attributes.team
            ann@example.com|+45 12 34 56 78,ann@example.com,true,+4512345678,"=1+1",blue
            """
        #expect(words(try await place.bring(csv)) == ["created"])
        let account = try #require(try await place.account("+4512345678"))
        #expect(account.user.claims["name"] == "=1+1")
        #expect(account.identifiers[try #require(Identifier(loginID: "ann@example.com"))] == .verified)
        #expect(account.identifiers[try #require(Identifier(loginID: "+4512345678"))] == .unverified)
    }
}
