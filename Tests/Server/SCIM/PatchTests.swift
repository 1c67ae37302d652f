import KeyturnBase
import Model
import Testing

@testable import SCIM

@Suite("SCIM: PATCH (RFC 7644 §3.5.2), as Entra and Okta send it")
struct PatchTests {
    private static let user: [String: JSONValue] = [
        "userName": "kim", "active": true,
        "emails": [
            ["type": "work", "value": "kim@a.example", "primary": true], ["type": "home", "value": "kim@b.example"],
        ],
    ]

    private func patched(_ operations: JSONValue..., from attributes: [String: JSONValue] = user)
        throws -> [String: JSONValue]
    {
        try SCIMPatch(["Operations": .array(operations)], .user).applied(to: attributes)
    }

    private func problem(_ operations: JSONValue..., kind: SCIMRecord.Kind = .user) -> SCIMProblem? {
        do throws(SCIMProblem) {
            let patch = try SCIMPatch(["Operations": .array(operations)], kind)
            _ = try patch.applied(to: Self.user)
            _ = try patch.members()
            return nil
        } catch {
            return error
        }
    }

    private func members(_ operation: JSONValue) throws -> [SCIMGroupChange.Members] {
        try SCIMPatch(["operations": [operation]], .group).members()
    }

    @Test(
        "M-1: every spelling of inactive is read as inactive",
        arguments: [
            ["op": "replace", "path": "active", "value": false], ["op": "Replace", "path": "active", "value": "False"],
            ["op": "replace", "value": ["active": false]], ["op": "Add", "path": "ACTIVE", "value": "false"],
            ["op": "Replace", "path": "active", "value": [["$ref": .null, "value": "False"]]],
        ] as [JSONValue])
    func inactive(_ operation: JSONValue) throws {
        #expect(try patched(operation)["active"] == false)
    }

    @Test func `an element that the filter does not find is made from its equalities`() throws {
        let phone = try patched([
            "op": "Add", "path": #"phoneNumbers[type eq "mobile"].value"#, "value": "+1 555",
        ])
        #expect(phone["phoneNumbers"] == [["type": "mobile", "value": "+1 555"]])
        let work = try patched(["op": "Replace", "path": #"emails[type eq "work"].value"#, "value": "k@a.example"])
        #expect(work["emails"]?.arrayValue?.count == 2)
        #expect(work["emails"]?.arrayValue?.first == ["type": "work", "value": "k@a.example", "primary": true])
        #expect(
            problem(["op": "replace", "path": #"emails[value sw "x"].type"#, "value": "work"])?.kind == .noTarget)
    }

    @Test func `the names of an object without a path are paths, and read-only ones in it are not looked at`() throws {
        let urn = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
        let result = try patched([
            "op": "replace",
            "value": [
                "name.givenName": "Kim", "\(urn):employeeNumber": 7_019, "id": "x", "meta": [:], "groups": [],
                "\(urn)": ["department": "Sales", "manager": "m1"], "unknown": "x",
            ],
        ])
        #expect(result["name"] == ["givenName": "Kim"])
        #expect(
            result[urn] == ["employeeNumber": "7019", "department": "Sales", "manager": ["value": "m1"]])
        #expect(result["id"] == nil && result["unknown"] == nil)
    }

    @Test func `adding what is there changes nothing, and a new primary value takes that from the old one`() throws {
        let same: JSONValue = ["op": "add", "path": "emails", "value": [["type": "home", "value": "kim@b.example"]]]
        #expect(try patched(same) == Self.user)
        let emails =
            try patched([
                "op": "add", "path": "emails", "value": [["value": "new@a.example", "primary": true]],
            ])["emails"]?.arrayValue ?? []
        #expect(emails.filter { $0["primary"] == true } == [["value": "new@a.example", "primary": true]])
        #expect(emails.count == 3)
    }

    @Test func `removing takes the values that are named, and a whole attribute without them`() throws {
        let named = try patched(["op": "remove", "path": "emails", "value": [["value": "kim@b.example"]]])
        #expect(named["emails"]?.arrayValue?.count == 1)
        #expect(try patched(["op": "remove", "path": "emails"])["emails"] == nil)
        #expect(try patched(["op": "remove", "path": #"emails[type eq "home"]"#])["emails"]?.arrayValue?.count == 1)
        #expect(problem(["op": "remove"])?.kind == .noTarget)
        #expect(problem(["op": "remove", "path": "userName"])?.kind == .mutability)
        #expect(problem(["op": "replace", "path": "id", "value": "x"])?.kind == .mutability)
        #expect(problem(["op": "replace", "path": "userName[", "value": "x"])?.kind == .invalidPath)
        #expect(problem(["op": "replace", "path": "nothing", "value": "x"])?.kind == .invalidPath)
        #expect(problem(["op": "swap", "path": "title"])?.kind == .invalidSyntax)
        #expect(problem(["op": "replace", "path": "title", "value": ["a": 1]])?.kind == .invalidValue)
    }

    @Test("M-19: members that are removed with a list of values are those alone") func listed() throws {
        let value: JSONValue = [["value": "u1"], ["$ref": .null, "value": "u2"]]
        #expect(try members(["op": "Remove", "path": "members", "value": value]) == [.remove(["u1", "u2"])])
        #expect(try members(["op": "remove", "path": #"members[value eq "u1"]"#]) == [.remove(["u1"])])
        #expect(try members(["op": "remove", "path": "members"]) == [.replace([])])
        #expect(try members(["op": "Add", "path": "members", "value": value]) == [.add(["u1", "u2"])])
        #expect(try members(["op": "replace", "value": ["members": value]]) == [.replace(["u1", "u2"])])
    }

    @Test("M-11: a PATCH has a bounded number of operations and members") func bounded() {
        let many = [JSONValue](
            repeating: ["op": "replace", "path": "title", "value": "x"], count: Limits.scimPatchOperationsMax + 1)
        #expect(throws: SCIMProblem.self) { try SCIMPatch(["Operations": .array(many)], .user) }
        let ids = (0...Limits.scimGroupMembersMax).map { JSONValue.string(String($0)) }
        #expect(problem(["op": "add", "path": "members", "value": .array(ids)], kind: .group)?.status == 413)
    }

    @Test("M-9: unknown attributes, and those that would give rights here, are not kept as such") func assignment()
        throws
    {
        let read = try SCIMResourceReader.read(
            [
                "userName": "kim", "roles": [["value": "admin"]], "epoch": 9, "status": "active", "password": "p",
                "urn:keyturn:internal": ["isOperator": true], "id": "other", "groups": [["value": "g"]],
            ], .user)
        #expect(read == ["userName": "kim", "roles": [["value": "admin"]]])
    }

    @Test func `a resource is shown with the attributes that are asked for`() throws {
        let time = UnixTime(rawValue: 10)
        let record = SCIMRecord(
            id: "u1", tenantID: "t", kind: .user, number: 1, attributes: Self.user, isActive: true, userID: nil,
            roleID: nil, version: 3, createdAt: time, updatedAt: time)
        func shown(_ attributes: [String], without: [String] = []) throws -> JSONValue {
            try SCIMResourceView(base: "https://x", .user, attributes: attributes, excluded: without)
                .json(record, links: [])
        }
        #expect(try Set(shown(["userName"]).objectValue?.keys ?? [:].keys) == ["schemas", "id", "userName"])
        #expect(
            try shown(["emails.value"])["emails"] == [["value": "kim@a.example"], ["value": "kim@b.example"]])
        let rest = try shown([], without: ["emails", "id", "schemas"])
        #expect(rest["emails"] == nil && rest["id"] == "u1" && rest["schemas"] != nil)
        #expect(rest["meta"]?["version"] == "W/\"3\"" && rest["meta"]?["location"] == "https://x/Users/u1")
        #expect(throws: SCIMProblem.self) { try shown(["userName"], without: ["emails"]) }
    }
}
