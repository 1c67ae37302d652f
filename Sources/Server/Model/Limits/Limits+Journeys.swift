extension Limits {
    /// Steps of a journey.
    public static let journeyStepsMax = 64
    /// Fields of one of its forms.
    public static let journeyFieldsMax = 16
    /// Characters of a text that a user fills in.
    public static let journeyTextLengthMax = 500
    /// The name of a journey, a step, a field or a document, in bytes.
    public static let journeyNameBytesMax = 64
    /// What an app tells a journey, as JSON, in bytes: it stands in addresses.
    public static let journeyInputsBytesMax = 1024
}
