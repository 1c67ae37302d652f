#if os(Linux)
    import KeyturnAuthenticator
    import KeyturnBase
    import KeyturnWebAuthn
    import Testing

    @testable import Keyturn

    @Suite(
        "Security keys through libfido2: refusals",
        .enabled(if: FidoLibrary.system != nil, "libfido2-1 is not installed"))
    struct SecurityKeyRefusalTests {
        typealias Base = SecurityKeyTests

        @Test func `a key that has the account already says so`() async throws {
            let key = Base.key()
            let keys = SecurityKeys(source: VirtualKeys.source(key), interaction: nil)
            let made = try await keys.create(Base.creation(), in: Base.ceremony)
            let error = await #expect(throws: AuthError.self) {
                try await keys.create(Base.creation(excluding: [made.id]), in: Base.ceremony)
            }
            #expect(error?.code == .passkeyExcluded)
            #expect(error?.passkey?.native == .matchedExcludedCredential)
            #expect(error?.passkeyCode == .unexpected)
        }

        @Test func `a key without a credential says so`() async throws {
            let keys = SecurityKeys(source: VirtualKeys.source(Base.key()), interaction: nil)
            for allowed in [[], [CredentialDescriptor(id: [1, 2, 3])]] {
                await #expect(throws: AuthError(.passkeyNotFound, "")) {
                    try await keys.get(
                        Base.policy.requestOptions(challenge: Base.challenge, allowing: allowed), in: Base.ceremony)
                }
            }
        }

        @Test func `a key that knows no algorithm of the service, or cannot keep a passkey, says so`() async throws {
            let old = Base.key(authenticator: { $0.behaviour.algorithms = [.es384] })
            await #expect(throws: AuthError(.passkeyUnavailable, "")) {
                try await SecurityKeys(source: VirtualKeys.source(old), interaction: nil).create(
                    Base.creation(), in: Base.ceremony)
            }
            let small = Base.key { $0.keepsDiscoverable = false }
            let keys = SecurityKeys(source: VirtualKeys.source(small), interaction: nil)
            await #expect(throws: AuthError(.passkeyUnavailable, "")) {
                try await keys.create(Base.creation(resident: .required), in: Base.ceremony)
            }
            let response = try await keys.create(Base.creation(resident: .preferred), in: Base.ceremony)
            #expect(response.clientExtensionResults["credProps"]?["rk"] == false)
        }

        @Test(.timeLimit(.minutes(1)))
        func `nobody touches the key: cancelling the task ends it, and the key is free again`() async throws {
            let key = Base.key { $0.isTouched = false }
            let keys = SecurityKeys(source: VirtualKeys.source(key), interaction: nil)
            let task = Task { try await keys.create(Base.creation(), in: Base.ceremony) }
            try await Task.sleep(for: .milliseconds(150))
            task.cancel()
            let error = await #expect(throws: AuthError.self) { try await task.value }
            #expect(error?.cause is CancellationError)
            #expect(key.authenticator.credentials.isEmpty)
            key.change { $0.isTouched = true }
            _ = try await keys.create(Base.creation(), in: Base.ceremony)
        }

        @Test(.timeLimit(.minutes(1))) func `of two keys the one that is touched is used`() async throws {
            let (left, right) = (Base.key { $0.isTouched = false }, Base.key { $0.isTouched = false })
            let owner = KeyOwner(onTouch: { right.change { $0.isTouched = true } })
            let keys = SecurityKeys(source: VirtualKeys.source(left, right), interaction: owner)
            _ = try await keys.create(Base.creation(), in: Base.ceremony)
            #expect(left.authenticator.credentials.isEmpty)
            #expect(right.authenticator.credentials.count == 1)
            #expect(await owner.asked == ["touch choose", "touch register"])
        }

        @Test(.timeLimit(.minutes(1))) func `a key that comes later is waited for`() async throws {
            struct Instantly: PollSleep {
                func seconds(_ seconds: Int64) async -> Bool {
                    await Task.yield()
                    return !Task.isCancelled
                }
            }
            final class Late: SecurityKeySource {
                let source = Locked<FidoSource?>(nil)
                var isAvailable: Bool { true }
                func list() -> [SecurityKeyPlace] { source.withLock { $0?.list() ?? [] } }
                func open(_ place: SecurityKeyPlace) throws(SecurityKeyStatus) -> any SecurityKeyPort {
                    guard let source = source.withLock({ $0 }) else { throw .internal }
                    return try source.open(place)
                }
            }
            let late = Late()
            let owner = KeyOwner(onInsert: { late.source.withLock { $0 = VirtualKeys.source(Base.key()) } })
            let keys = SecurityKeys(source: late, interaction: owner, sleep: Instantly())
            _ = try await keys.create(Base.creation(), in: Base.ceremony)
            #expect(await owner.asked == ["insert", "touch register"])
        }

        @Test(arguments: [
            ("https://id.example.org", "example.com", AuthError.Code.passkeyDomain),
            ("https://evilexample.com", "example.com", .passkeyDomain),
            ("http://example.com", "example.com", .passkeyDomain),
            ("https://example.com", "com", .passkeyDomain), ("https://example.com", "", .passkeyDomain),
        ])
        func `a relying party of another domain gets nothing`(
            _ origin: String, _ rpID: String, _ code: AuthError.Code
        ) async throws {
            let key = Base.key()
            let keys = SecurityKeys(source: VirtualKeys.source(key), interaction: nil)
            var options = Base.creation()
            options.rpID = rpID
            let error = await #expect(throws: AuthError.self) {
                try await keys.create(options, in: PasskeyCeremony(origin: origin))
            }
            #expect(error?.code == code)
            #expect(error?.passkeyCode == .invalidDomain)
            #expect(key.authenticator.credentials.isEmpty)
        }

        @Test func `what a key cannot do is refused before it is asked for`() async throws {
            let keys = SecurityKeys(source: VirtualKeys.source(Base.key()), interaction: nil)
            var options = Base.creation()
            let quiet = PasskeyCeremony(mediation: "conditional", origin: Base.origin)
            let error = await #expect(throws: AuthError.self) { try await keys.create(options, in: quiet) }
            #expect(error?.passkeyCode == .apiUnsupported)
            let others = PasskeyCeremony(authenticators: [.passkey], origin: Base.origin)
            await #expect(throws: AuthError(.passkeyUnavailable, "")) { try await keys.create(options, in: others) }
            options.authenticatorSelection.attachment = "platform"
            await #expect(throws: AuthError(.passkeyUnavailable, "")) {
                try await keys.create(options, in: Base.ceremony)
            }
            let without = SecurityKeys(
                source: FidoSource(library: FidoLibrary(names: ["libnone.so"])), interaction: nil)
            #expect(await !without.availability.securityKeys)
            let missing = await #expect(throws: AuthError.self) {
                try await without.create(Base.creation(), in: Base.ceremony)
            }
            #expect(missing?.passkeyCode == .webauthnUnavailable)
        }

        @Test(
            arguments: [
                (0x27, AuthError.Code.cancelled), (0x2F, .passkeyTimeout), (0x3A, .passkeyTimeout),
                (0x28, .passkeyFailed),
                (0x32, .passkeyPIN), (0x35, .passkeyPIN), (0x7F, .passkeyFailed), (-2, .passkeyFailed),
            ] as [(Int32, AuthError.Code)])
        func `every refusal of a key has its meaning`(_ status: Int32, _ code: AuthError.Code) {
            let error = SecurityKeyConnection.failure(SecurityKeyStatus(rawValue: status))
            #expect(error.code == code)
            #expect(error.passkey != nil)
        }
    }
#endif
