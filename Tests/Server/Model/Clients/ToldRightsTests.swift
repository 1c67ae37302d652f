import KeyturnBase
import Model
import Testing

@Suite("The rights that programs are told of a user")
struct ToldRightsTests {
    private static let rights = Entitlements(
        everywhere: .init(roles: ["deputy"], permissions: ["Impersonate", "pay", "users.impersonate"]),
        tenants: ["harbour": .init(roles: ["agent"], permissions: ["sign", "users.impersonate"])])

    private static func user(operatorsAt: UnixTime? = nil) -> User {
        let time = UnixTime(rawValue: 1_000)
        var user = User(id: UserID(rawValue: "u1"), createdAt: time, updatedAt: time)
        (user.othersAt, user.operatorsAt) = (time, operatorsAt)
        return user
    }

    @Test func `they are all of them, as long as the server lets the user act as others`() {
        #expect(Self.rights.told(of: Self.user()) == Self.rights, "what a directory set up is not an operator's")
    }

    @Test func `they lack the rights to act as others, once an operator has set up a way in`() {
        let told = Self.rights.told(of: Self.user(operatorsAt: UnixTime(rawValue: 1_000)))
        #expect(told.everywhere == .init(roles: ["deputy"], permissions: ["pay"]))
        #expect(told.tenants == ["harbour": .init(roles: ["agent"], permissions: ["sign"])])
    }
}
