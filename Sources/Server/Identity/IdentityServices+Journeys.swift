public import SignIn

extension IdentityServices {
    /// Keeps what users answer in journeys.
    public var journeyAnswers: JourneyAnswers {
        JourneyAnswers(project: project, stores: stores, audit: auditLog, ambient: ambient)
    }
}
