public import KeyturnBase

/// An earlier sign-in of a user: the last one on a device and from a country.
public struct PastSignIn: Hashable, Sendable {
    /// Of the device, for this user alone: see ``DeviceMark/digest(for:)``.
    public let device: SecretDigest
    public let place: NetworkLocation
    public let at: UnixTime
    /// Whether journeys go by it: nothing was unusual about the sign-in, or it used more than one factor.
    public let isTrusted: Bool

    public init(device: SecretDigest, place: NetworkLocation, at: UnixTime, isTrusted: Bool = true) {
        self.device = device
        self.place = place
        self.at = at
        self.isTrusted = isTrusted
    }
}

/// By what a device is known.
public enum DeviceMark: Hashable, Sendable {
    /// A random value that the browser keeps in a cookie. It names no user.
    case browser(String)
    /// What an app's requests say that it runs on, such as `Safari on iPhone`; empty: nothing. Apps keep no cookies, so
    /// two of one kind are one device.
    case app(String)
    /// The identifier of a key that the device keeps, and that its user set up.
    case key(String)

    /// The digest that is stored. It differs for each user: rows do not show that two users share a device.
    public func digest(for user: UserID) -> SecretDigest {
        switch self {
        case .browser(let mark): SecretDigest(of: Secret("browser\n\(user.rawValue)\n\(mark)"))
        case .app(let kind): SecretDigest(of: Secret("app\n\(user.rawValue)\n\(kind)"))
        case .key(let id): SecretDigest(of: Secret("key\n\(user.rawValue)\n\(id)"))
        }
    }
}

/// Which signals the past of a user gives.
public enum RiskRules {
    /// The signals of a sign-in that follow from earlier ones.
    ///
    /// - Parameters:
    ///   - device: `nil`: one that has no mark yet.
    ///   - past: in any order. Without it the device is new, and nothing else is known.
    public static func signals(
        device: SecretDigest?, place: NetworkLocation, past: [PastSignIn], at now: UnixTime
    ) -> Set<RiskSignal> {
        var signals: Set<RiskSignal> = []
        if !past.contains(where: { $0.device == device }) { signals.insert(.newDevice) }
        let countries = Set(past.compactMap(\.place.country))
        if let country = place.country, !countries.isEmpty, !countries.contains(country) { signals.insert(.newCountry) }
        let last = past.filter { $0.place.coordinates != nil }.max { $0.at < $1.at }
        if let here = place.coordinates, let last, let there = last.place.coordinates,
            isImpossible(there.kilometres(to: here), inSeconds: now.seconds(since: last.at))
        {
            signals.insert(.impossibleTravel)
        }
        return signals
    }

    /// The signals of a right password.
    ///
    /// - Parameters:
    ///   - failures: wrong ones within ``Limits/attemptWindowSeconds``, with this attempt counted.
    ///   - breached: the operator's list; `nil`: there is none.
    public static func signals(
        of password: Secret, failures: Int64, breached: BreachedPasswords?
    ) -> Set<RiskSignal> {
        var signals: Set<RiskSignal> = []
        if failures > Limits.riskFailuresMin { signals.insert(.tooManyFailures) }
        if breached?.contains(password) == true { signals.insert(.breachedPassword) }
        return signals
    }

    /// Whether a distance is too long for the time. Short distances are not: databases are wrong by hundreds of
    /// kilometres.
    ///
    /// - Parameter seconds: negative after a clock was set back, which counts as none.
    static func isImpossible(_ kilometres: Double, inSeconds seconds: Int64) -> Bool {
        kilometres >= Limits.travelKilometresMin
            && kilometres * 3_600 > Limits.travelKilometresPerHourMax * Double(max(0, seconds))
    }

    /// The signals by which a user gets a message.
    public static let toldSignals: Set<RiskSignal> = [.newDevice, .newCountry, .impossibleTravel]
}
