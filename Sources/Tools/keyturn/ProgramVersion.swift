/// What `keyturn --version` and the metrics say.
enum ProgramVersion {
    static let text = "0.1.0"
}
