import ArgumentParser
import KeyturnVerify
import Testing

@testable import keyturn

@Suite("keyturn verify for other people's providers")
struct VerifyProfileTests {
    static let tenant = "5f1a2b3c-0000-4000-8000-00000000abcd"

    static let names: [(String?, TokenProfile)] = [
        (nil, .rfc9068), ("rfc9068", .rfc9068), ("okta", .okta), ("keycloak", .keycloak), ("cognito", .cognito),
        ("auth0", .auth0), ("entra", .entra(tenant: tenant)),
    ]

    @Test(arguments: names)
    func `a profile is named on the command line`(_ name: String?, _ profile: TokenProfile) throws {
        let tenant = name == "entra" ? ["--tenant", Self.tenant] : []
        let stated = name.map { ["--profile", $0] } ?? []
        let command = try VerifyCommand.parse(["--audience", "api"] + stated + tenant)
        #expect(command.rules.tokenProfile == profile)
        #expect(command.rules.isForKeyturn == (profile == .rfc9068))
    }

    @Test(arguments: [
        ["--profile", "google"], ["--profile", "entra", "--audience", "api"], ["--profile", "okta"],
        ["--profile", "entra", "--audience", "api", "--tenant", ""], ["--audience", "api", "--tenant", "t"],
        ["--profile", "okta", "--audience", "api", "--tenant", "t"],
    ])
    func `what is missing or does not fit is refused before a token is read`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try VerifyCommand.parse(arguments) }
    }

    @Test func `the help names every profile`() {
        for name in ProfileName.allCases { #expect(VerifyCommand.helpMessage().contains(name.rawValue)) }
    }
}
