/// Bounds on texts and on the files that hold them.
package enum TextLimits {
    /// A file of one language, in bytes. The longest of those that ship has a third of it.
    package static let fileBytesMax = 524_288
    /// Groups and keys below them: `link.readyHeading.signIn`.
    static let keyDepthMax = 4
    /// Texts of one file: twice what pages and messages have.
    static let textsMax = 4_000
    /// One text, in bytes. The longest that ships has about 600.
    package static let textBytesMax = 4_096
    /// Plurals and choices inside each other. Two suffice for every sentence that ships.
    static let depthMax = 4
    /// Parts of one text, in all its branches, so that one text cannot cost much memory.
    static let partsMax = 256
    /// Branches of one plural or choice.
    static let branchesMax = 24
    /// The name of a place, in bytes.
    static let nameBytesMax = 32
    /// Languages of one server, those that ship included.
    package static let languagesMax = 40
}
