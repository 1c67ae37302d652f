/// One moment by two clocks.
///
/// The wall clock says what to write down and what to show, and may be wrong or be set in between; the running clock
/// says how much time has passed, and nothing else.
public struct Moment: Hashable, Sendable {
    /// What the wall clock shows.
    public let wall: UnixTime
    /// Seconds since some moment before this process began, sleep included. Never goes back.
    public let uptime: Int64

    /// A moment by both clocks; see the members for their units.
    public init(wall: UnixTime, uptime: Int64) {
        self.wall = wall
        self.uptime = uptime
    }

    /// The moment `seconds` later, if the wall clock is not set meanwhile.
    public static func + (moment: Moment, seconds: Int64) -> Moment {
        Moment(wall: moment.wall + seconds, uptime: moment.uptime + seconds)
    }
}
