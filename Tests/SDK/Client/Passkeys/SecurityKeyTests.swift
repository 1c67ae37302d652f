#if os(Linux)
    import KeyturnAuthenticator
    import KeyturnBase
    import KeyturnWebAuthn
    import Testing

    @testable import Keyturn

    /// libfido2 itself, with keys in memory: what a key is sent and what it answers are reports of 64 bytes.
    @Suite("Security keys through libfido2", .enabled(if: FidoLibrary.system != nil, "libfido2-1 is not installed"))
    struct SecurityKeyTests {
        static let policy: WebAuthnPolicy = {
            // The words of a test's own constant are right.
            guard let policy = try? WebAuthnPolicy(rpID: "example.com", rpName: "Ex", origins: [origin]) else {
                preconditionFailure("the policy contradicts itself")
            }
            return policy
        }()
        static let origin = "https://id.example.com"
        static let challenge = [UInt8](repeating: 7, count: 32)
        static let ceremony = PasskeyCeremony(origin: origin)

        static func key(
            _ change: (inout SoftwareSecurityKey.Behaviour) -> Void = { _ in },
            authenticator: (inout SoftwareAuthenticator) -> Void = { _ in }
        ) -> SoftwareSecurityKey {
            var behaviour = SoftwareSecurityKey.Behaviour()
            change(&behaviour)
            var inside = SoftwareAuthenticator(seed: [1, 2, 3])
            inside.behaviour.isBackupEligible = false
            inside.behaviour.isBackedUp = false
            authenticator(&inside)
            return SoftwareSecurityKey(inside, behaviour: behaviour)
        }

        static func creation(
            _ user: String = "ann", verification: UserVerificationRequirement = .preferred,
            excluding: [[UInt8]] = [], resident: ResidentKeyRequirement = .preferred
        ) -> PublicKeyCredentialCreationOptions {
            var options = policy.creationOptions(
                challenge: challenge, user: .init(id: Array(user.utf8), name: user, displayName: user.uppercased()),
                excluding: excluding.map { CredentialDescriptor(id: $0) }, userVerification: verification)
            options.authenticatorSelection.residentKey = resident
            return options
        }

        static func judge(
            _ response: RegistrationResponse, _ user: String = "ann",
            verification: UserVerificationRequirement = .preferred
        ) throws -> RegisteredCredential {
            try RegistrationCeremony(
                policy: policy, challenge: challenge, userHandle: Array(user.utf8), userVerification: verification
            ).verify(response)
        }

        @Test func `registers and signs in, and the service's own rules accept both`() async throws {
            let owner = KeyOwner()
            let keys = SecurityKeys(source: VirtualKeys.source(Self.key()), interaction: owner)
            let response = try await keys.create(Self.creation(), in: Self.ceremony)
            #expect(response.authenticatorAttachment == "cross-platform")
            #expect(response.transports == ["usb"])
            #expect(response.clientExtensionResults["credProps"]?["rk"] == true)
            let registered = try Self.judge(response)
            let options = Self.policy.requestOptions(
                challenge: Self.challenge, allowing: [CredentialDescriptor(id: registered.record.id)])
            let answer = try await keys.get(options, in: Self.ceremony)
            let verified = try AuthenticationCeremony(
                policy: Self.policy, challenge: Self.challenge, subject: .user(handle: Array("ann".utf8)),
                allowedIDs: [registered.record.id]
            ).verify(answer, record: registered.record)
            #expect(verified.record.id == registered.record.id)
            #expect(await owner.asked == ["touch register", "touch signIn"])
        }

        @Test func `a passkey is found without being named, and the person chooses among accounts`() async throws {
            let key = Self.key { $0.pin = "1234" }
            let owner = KeyOwner(pins: ["1234", "1234", "1234"], choice: 1)
            let keys = SecurityKeys(source: VirtualKeys.source(key), interaction: owner)
            for user in ["ann", "bob"] {
                _ = try await keys.create(
                    Self.creation(user, verification: .required, resident: .required), in: Self.ceremony)
            }
            let answer = try await keys.get(
                Self.policy.requestOptions(challenge: Self.challenge, userVerification: .required),
                in: Self.ceremony)
            #expect(await owner.asked.last == "choose bob,ann")
            #expect(answer.userHandle == Array("ann".utf8))
            #expect(try AuthenticatorData(answer.authenticatorData).flags.contains(.userVerified))
            let nobody = SecurityKeys(
                source: VirtualKeys.source(key), interaction: KeyOwner(pins: ["1234"], choice: nil))
            await #expect(throws: AuthError(.cancelled, "")) {
                try await nobody.get(
                    Self.policy.requestOptions(challenge: Self.challenge, userVerification: .required),
                    in: Self.ceremony)
            }
        }

        @Test func `a wrong PIN may be corrected, and the key counts`() async throws {
            let key = Self.key { $0.pin = "1234" }
            let owner = KeyOwner(pins: ["0000", "1234"])
            let keys = SecurityKeys(source: VirtualKeys.source(key), interaction: owner)
            let response = try await keys.create(Self.creation(verification: .required), in: Self.ceremony)
            #expect(try Self.judge(response, verification: .required).isUserVerified)
            #expect(await owner.asked == ["pin 8", "touch register", "pin 7 wrong", "touch register"])
            #expect(key.pinTriesLeft == 8)
        }

        @Test func `after three wrong PINs the key wants to be plugged in again`() async throws {
            let key = Self.key { $0.pin = "1234" }
            let owner = KeyOwner(pins: ["1111", "2222", "3333", "4444"])
            let keys = SecurityKeys(source: VirtualKeys.source(key), interaction: owner)
            let error = try #require(
                await #expect(throws: AuthError.self) {
                    try await keys.create(Self.creation(verification: .required), in: Self.ceremony)
                })
            #expect(error.code == .passkeyPIN)
            #expect(error.detail.contains("plug it in again"))
            #expect(key.authenticator.credentials.isEmpty)
        }

        @Test func `a key that demands its PIN gets it, though the service does not`() async throws {
            let owner = KeyOwner(pins: ["1234"])
            let key = Self.key {
                $0.pin = "1234"
                $0.demandsPIN = true
            }
            let keys = SecurityKeys(source: VirtualKeys.source(key), interaction: owner)
            _ = try await keys.create(Self.creation(verification: .discouraged), in: Self.ceremony)
            #expect(await owner.asked == ["touch register", "pin 8", "touch register"])
        }

        @Test func `without a PIN on the key, or anybody to ask, a PIN cannot be had`() async throws {
            let none = SecurityKeys(source: VirtualKeys.source(Self.key()), interaction: KeyOwner())
            await #expect(throws: AuthError(.passkeyPIN, "")) {
                try await none.create(Self.creation(verification: .required), in: Self.ceremony)
            }
            let silent = SecurityKeys(source: VirtualKeys.source(Self.key { $0.pin = "1" }), interaction: nil)
            let error = await #expect(throws: AuthError.self) {
                try await silent.create(Self.creation(verification: .required), in: Self.ceremony)
            }
            #expect(error?.passkey?.native == .notInteractive)
            let mute = SecurityKeys(source: VirtualKeys.source(Self.key { $0.pin = "1" }), interaction: KeyOwner())
            await #expect(throws: AuthError(.cancelled, "")) {
                try await mute.create(Self.creation(verification: .required), in: Self.ceremony)
            }
        }

        @Test func `a fingerprint does for a PIN, and a finger that is not known leads to the PIN`() async throws {
            let fingers = SecurityKeys(
                source: VirtualKeys.source(Self.key { $0.fingerprint = .recognised }), interaction: KeyOwner())
            let response = try await fingers.create(Self.creation(verification: .required), in: Self.ceremony)
            #expect(try Self.judge(response, verification: .required).isUserVerified)
            let owner = KeyOwner(pins: ["1234"])
            let other = Self.key {
                $0.fingerprint = .unknown
                $0.pin = "1234"
            }
            let keys = SecurityKeys(source: VirtualKeys.source(other), interaction: owner)
            _ = try await keys.create(Self.creation(verification: .required), in: Self.ceremony)
            #expect(await owner.asked == ["touch register", "pin 8", "touch register"])
        }

        @Test func `without a wish for attestation nothing is told of the key's model, and with one all`() async throws
        {
            let model = try #require(AAGUID("fbfc3007-154e-4ecc-8c0b-6e020557d7bd"))
            let key = Self.key(authenticator: {
                $0.behaviour.aaguid = model
                $0.behaviour.attestation = .packedSelf
            })
            let keys = SecurityKeys(source: VirtualKeys.source(key), interaction: nil)
            let silent = try Self.judge(try await keys.create(Self.creation(), in: Self.ceremony))
            #expect(silent.record.aaguid == .zero)
            var options = Self.creation("bob")
            options.attestation = .direct
            let told = try Self.judge(try await keys.create(options, in: Self.ceremony), "bob")
            #expect(told.record.aaguid == model)
            #expect(told.attestation.format == "packed")
        }

        @Test(arguments: [([-8, -7], -7), ([-36, -257, -8, -7], -8), ([], -7)] as [([Int64], Int64)])
        func `of the service's algorithms the first that the key knows is used`(
            _ offered: [Int64], _ used: Int64
        ) async throws {
            let knows: Set<COSEAlgorithm> = used == -8 ? [.edDSA] : [.es256]
            let key = Self.key(authenticator: {
                $0.behaviour.algorithms = COSEAlgorithm.allCases.filter(knows.contains)
            })
            var options = Self.creation()
            options.algorithms = offered
            let keys = SecurityKeys(source: VirtualKeys.source(key), interaction: nil)
            _ = try await keys.create(options, in: Self.ceremony)
            #expect(key.authenticator.credentials.map(\.key.algorithm.rawValue) == [used])
        }
    }
#endif
