/// Where the work of a task was asked for. An audit event that is recorded meanwhile gets it, if it says nothing else.
public enum AuditOrigin {
    /// The client's network address; `nil`: it is not noted.
    @TaskLocal public static var address: String?
}
