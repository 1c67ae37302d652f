import KeyturnAuthenticator
import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Passkeys with tokens")
struct PasskeyTokenTests {
    let world = PasskeyWorld()
    let device = SoftwarePasskeys(SoftwareAuthenticator(seed: [1]))
    var auth: Keyturn { world.container(device) }

    @Test func `registers, signs in by name, by id and in a form`() async throws {
        let made = try await auth.passkeys.startRegister(username: "a@b")
        #expect(made.token == "reg")
        #expect(made.expiresAt == UnixTime(rawValue: 1_800_000_300))
        #expect(made.warnings.isEmpty)
        #expect(try await auth.passkeys.startAuth(.username("a@b")).token == "auth")
        #expect(try await auth.passkeys.startAuth(.id("42")).token == "auth")
        #expect(try await auth.passkeys.handleAutoFill().token == "auth")
        #expect(try await auth.passkeys.upgrade(username: "a@b").token == "reg")
        #expect(await device.ceremonies.map(\.mediation) == [nil, nil, nil, "conditional", "conditional"])
        #expect(await device.ceremonies.map(\.authenticators) == [.all, .all, .all, [.passkey], [.passkey]])
    }

    @Test func `options are asked for as the service's own clients ask`() async throws {
        _ = try await auth.passkeys.startRegister(username: "a@b")
        _ = try await auth.passkeys.startAuth(.username("a@b"))
        _ = try await auth.passkeys.startAuth(.id("42"))
        _ = try await auth.passkeys.handleAutoFill()
        _ = try await auth.passkeys.upgrade(username: "a@b")
        let bodies = await world.service.bodies.filter { $0.contains("/options") }
        #expect(
            bodies == [
                "/attestation/options {}", #"/assertion/options {"user":{"username":"a@b"}}"#,
                #"/assertion/options {"user":{"id":"42"}}"#, "/assertion/options {}",
                #"/attestation/options {"upgrade":true}"#,
            ])
    }

    /// A golden transcript: headers, and every member by name, in the order of their names.
    @Test func `requests are what they were, byte for byte`() async throws {
        _ = try await auth.passkeys.startRegister(username: "a@b")
        _ = try await auth.passkeys.startAuth(.username("a@b"))
        let requests = await world.service.requests
        for request in requests {
            #expect(request.method == "POST")
            #expect(
                request.headers.map { "\($0.name): \($0.value)" } == [
                    "Authorization: Basic cHVia2V5X3g6", "Accept: application/json", "Content-Type: application/json",
                    "X-SDK: keyturn/1.0.0",
                ])
        }
        let registration = try JSONValue(parsing: try #require(requests[1].body))
        let credential = try #require(registration["credential"]?.objectValue)
        #expect(registration.objectValue?.keys.sorted() == ["credential"])
        #expect(
            credential.keys.sorted() == [
                "authenticatorAttachment", "clientExtensionResults", "id", "rawId", "response", "type",
            ])
        #expect(credential["type"] == "public-key")
        #expect(
            credential["response"]?.objectValue?.keys.sorted() == [
                "attestationObject", "clientDataJSON", "transports",
            ])
        let clientData = try #require(credential["response"]?["clientDataJSON"]?.stringValue.flatMap(Base64URL.decode))
        #expect(
            String(decoding: clientData, as: UTF8.self) == """
                {"type":"webauthn.create","challenge":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE",\
                "origin":"https://example.com","crossOrigin":false}
                """)
        let assertion = try JSONValue(parsing: try #require(requests[3].body))
        #expect(assertion["user"] == ["username": "a@b"])
        #expect(
            assertion["credential"]?["response"]?.objectValue?.keys.sorted() == [
                "authenticatorData", "clientDataJSON", "signature", "userHandle",
            ])
        #expect(!String(decoding: requests[3].body ?? [], as: UTF8.self).contains("="), "no padding anywhere")
    }

    @Test func `a security key without discoverable credentials sends no user handle, and the user again`() async throws
    {
        await device.change { $0.behaviour.isResident = false }
        _ = try await auth.passkeys.startRegister(username: "a@b")
        _ = try? await auth.passkeys.startAuth(.username("a@b"))
        let body = try #require(await world.service.requests.last?.body)
        let json = try JSONValue(parsing: body)
        #expect(json["credential"]?["response"]?["userHandle"] == nil)
        #expect(json["user"] == ["username": "a@b"])
    }

    @Test func `the username stays on the device`() async throws {
        _ = try await auth.passkeys.startRegister(username: "andy@example.org", displayName: "Andy Rhoads")
        for body in await world.service.bodies {
            #expect(!body.contains("andy"))
            #expect(!body.contains("Andy"))
        }
    }

    @Test func `warnings of both answers arrive beside the token`() async throws {
        let warning = PasskeyServiceError(code: "OutdatedSDK", message: "update")
        await world.service.set { $0.warnings = [warning] }
        #expect(try await auth.passkeys.startRegister(username: "a").warnings == [warning, warning])
    }

    @Test func `a token is not printed`() async throws {
        let info = try await auth.passkeys.startRegister(username: "a")
        var text = "\(info) \(String(reflecting: info))"
        dump(info, to: &text)
        #expect(!text.contains("\"reg\""))
    }

    @Test func `the wishes for authenticators reach the authenticator`() async throws {
        _ = try await auth.passkeys.startRegister(username: "a", authenticators: [.securityKey])
        #expect(await device.ceremonies.map(\.authenticators) == [[.securityKey]])
        #expect(await auth.passkeys.availability.autofill)
    }

    @Test func `what must be there at once is asked for only where that can be told`() async throws {
        let auth = auth
        let error = await #expect(throws: AuthError.self) { try await auth.passkeys.startImmediateAuth() }
        #expect(error?.code == .passkeyUnavailable && error?.passkeyCode == .apiUnsupported)
        #expect(await world.service.requests.isEmpty)
        _ = try await auth.passkeys.startRegister(username: "a@b")
        let quick = SoftwarePasskeys(
            await device.authenticator,
            availability: PasskeyAvailability(passkeys: true, securityKeys: false, immediate: true))
        #expect(try await world.container(quick).passkeys.startImmediateAuth().token == "auth")
        #expect(await quick.ceremonies.map(\.isImmediate) == [true])
        #expect(await quick.ceremonies.map(\.authenticators) == [[.passkey]])
    }

    @Test func `names that are empty or too long are refused here`() async throws {
        let auth = auth
        for name in ["", String(repeating: "x", count: 256)] {
            await #expect(throws: AuthError(.invalidArgument, "")) {
                try await auth.passkeys.startRegister(username: name)
            }
            await #expect(throws: AuthError(.invalidArgument, "")) {
                try await auth.passkeys.startRegister(username: "a", displayName: name)
            }
            await #expect(throws: AuthError(.invalidArgument, "")) { try await auth.passkeys.startAuth(.id(name)) }
        }
        #expect(await world.service.requests.isEmpty)
        _ = try await auth.passkeys.startRegister(username: String(repeating: "x", count: 255))
    }

    @Test func `the origin is the app's, the issuer's, or the relying party's`() {
        func origin(_ service: Service, _ rpID: String = "example.com") -> String {
            PasskeyOrigin.of(service, rpID: rpID)
        }
        #expect(origin(.snapAuth(publishableKey: "pubkey_x")) == "https://example.com")
        #expect(
            origin(.snapAuth(publishableKey: "pubkey_x", passkeyOrigin: "https://app.example.com"))
                == "https://app.example.com")
        #expect(origin(.keyturn(issuer: "https://id.example.com/x", clientID: "c")) == "https://id.example.com")
        #expect(
            origin(.keyturn(issuer: "http://127.0.0.1:8080", clientID: "c"), "localhost") == "http://localhost:8080")
        #expect(origin(.descope(projectID: "P1")) == "https://example.com")
    }
}
