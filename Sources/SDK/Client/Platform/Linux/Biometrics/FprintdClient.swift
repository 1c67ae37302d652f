#if os(Linux)
    internal import KeyturnBase

    /// What a fingerprint reader wants of the person.
    public enum FingerprintMoment: Hashable, Sendable {
        /// To touch it.
        case touch
        /// To touch it again: it could not read the finger.
        case unclear
        /// To touch it again: it is none of the fingers that it knows.
        case unknownFinger
        /// Nothing more: it has let go of the finger.
        case over
    }

    /// The machine's fingerprint reader, as fprintd offers it on the system bus. For one thread, which it may hold up.
    struct FprintdClient {
        private let connection: BusConnection
        private let reader: String

        private static let name = "net.reactivated.Fprint"

        /// Finds the reader.
        init(_ addresses: [BusAddress]) throws(BusProblem) {
            let deadline = Self.soon
            connection = try BusConnection(
                BusSocket.connect(addresses, until: deadline), deadline: deadline, awaiting: "VerifyStatus")
            let answer = try connection.call(
                Self.message("/net/reactivated/Fprint/Manager", "Manager", "GetDefaultDevice", nil))
            var body = try answer.reader("o")
            reader = try body.objectPath()
        }

        /// The fingers of this process's user, by name.
        func enrolledFingers() throws(BusProblem) -> [String] {
            let answer: BusMessage
            do throws(BusProblem) {
                // No user named: the one who asks.
                answer = try call("ListEnrolledFingers", "")
            } catch .refused(Self.noPrints) {
                return []
            }
            var body = try answer.reader("as")
            let fingers = try body.array(alignment: 4, countMax: Limits.fingersMax) { body throws(BusProblem) in
                try body.string()
            }
            return fingers.sorted()
        }

        /// How it ended.
        enum Outcome: Hashable, Sendable {
            case recognised, somebodyElse
        }

        /// Waits for a finger that it knows.
        ///
        /// - Parameters:
        ///   - showing: Hears what the person is to do, on this thread.
        ///   - interrupt: Ends the waiting.
        func verify(
            until deadline: ContinuousClock.Instant, or interrupt: BusInterrupt,
            showing: (FingerprintMoment) -> Void
        ) throws(BusProblem) -> Outcome {
            try connection.listen(
                to: "type='signal',interface='\(Self.name).Device',member='VerifyStatus',path='\(reader)'")
            _ = try call("Claim", "")
            do throws(BusProblem) {
                let outcome = try waitForFinger(until: deadline, or: interrupt, showing: showing)
                release(showing)
                return outcome
            } catch {
                release(showing)
                throw error
            }
        }

        private func waitForFinger(
            until deadline: ContinuousClock.Instant, or interrupt: BusInterrupt,
            showing: (FingerprintMoment) -> Void
        ) throws(BusProblem) -> Outcome {
            for _ in 0..<Limits.touchesMax {
                let started = try call("VerifyStart", "any")
                showing(.touch)
                do throws(BusProblem) {
                    let isMatch = try result(from: started.sender, until: deadline, or: interrupt, showing: showing)
                    try stop()
                    if isMatch { return .recognised }
                } catch {
                    try? stop()
                    throw error
                }
                showing(.unknownFinger)
            }
            return .somebodyElse
        }

        /// Whether the finger is known.
        ///
        /// - Parameter sender: The service's own name on the bus: what other programs say about fingers is ignored.
        private func result(
            from sender: String?, until deadline: ContinuousClock.Instant, or interrupt: BusInterrupt,
            showing: (FingerprintMoment) -> Void
        ) throws(BusProblem) -> Bool {
            let isWanted = { (message: BusMessage) in
                message.member == "VerifyStatus" && message.path == reader && message.sender == sender
                    && message.interface == Self.name + ".Device"
            }
            for _ in 0..<Limits.busStrayMax {
                let signal = try connection.signal(where: isWanted, until: deadline, or: interrupt)
                var body = try signal.reader("sb")
                let result = try body.string()
                let isDone = try body.bool()
                switch result {
                case "verify-match": return true
                case "verify-no-match": return false
                case "verify-disconnected", "verify-unknown-error": throw .refused(result)
                default:
                    guard !isDone else { throw .refused(result) }
                    showing(.unclear)
                }
            }
            throw .malformed("nothing but unclear fingers")
        }

        private func stop() throws(BusProblem) {
            _ = try connection.call(message("VerifyStop", nil))
        }

        /// A client that goes away is released anyway; this is merely sooner.
        private func release(_ showing: (FingerprintMoment) -> Void) {
            connection.deadline = Self.soon
            _ = try? connection.call(message("Release", nil))
            showing(.over)
        }

        private func call(_ member: String, _ argument: String) throws(BusProblem) -> BusMessage {
            connection.deadline = Self.soon
            return try connection.call(message(member, argument))
        }

        private func message(_ member: String, _ argument: String?) -> BusMessage {
            Self.message(reader, "Device", member, argument)
        }

        private static func message(
            _ object: String, _ interface: String, _ member: String, _ argument: String?
        ) -> BusMessage {
            var message = BusMessage(.call)
            message.destination = name
            message.path = object
            message.interface = name + "." + interface
            message.member = member
            guard let argument else { return message }
            message.signature = "s"
            var writer = BusWriter()
            writer.write(argument)
            message.body = writer.bytes
            return message
        }

        private static var soon: ContinuousClock.Instant { .now + .seconds(Limits.fingerprintSeconds) }
        static let noPrints = name + ".Error.NoEnrolledPrints"
    }

    extension BusProblem {
        /// What it means for the caller that wanted to recognise a person.
        var fingerprintError: AuthError {
            switch self {
            case .unreachable: AuthError(.biometricUnsupported, "there is no system bus, so no fprintd", cause: self)
            case .interrupted: .taskCancelled
            case .refused(let name): Self.refusal(name, self)
            case .timedOut: AuthError(.unavailable, "the fingerprint service does not answer", cause: self)
            default: AuthError(.unavailable, "the fingerprint service failed", cause: self)
            }
        }

        private static func refusal(_ name: String, _ problem: BusProblem) -> AuthError {
            switch name {
            case "net.reactivated.Fprint.Error.NoSuchDevice":
                AuthError(.biometricUnsupported, "this machine has no fingerprint reader", cause: problem)
            case "net.reactivated.Fprint.Error.NoEnrolledPrints":
                AuthError(.biometricNoEnrollment, "no finger is enrolled: see fprintd-enroll", cause: problem)
            case "net.reactivated.Fprint.Error.PermissionDenied":
                AuthError(.biometricUnsupported, "polkit does not let this program use the reader", cause: problem)
            case "net.reactivated.Fprint.Error.AlreadyInUse", "net.reactivated.Fprint.Error.ClaimDevice":
                AuthError(.unavailable, "somebody else uses the fingerprint reader", cause: problem)
            case _ where name.hasPrefix("org.freedesktop.DBus.Error.S"), "org.freedesktop.DBus.Error.NameHasNoOwner":
                // ServiceUnknown, and Spawn.… where it cannot be started.
                AuthError(.biometricUnsupported, "there is no fprintd on this machine", cause: problem)
            default: AuthError(.unavailable, "the fingerprint reader failed (\(name))", cause: problem)
            }
        }
    }
#endif
