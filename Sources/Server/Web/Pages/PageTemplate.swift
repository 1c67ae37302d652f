/// A Mustache template, compiled into the program.
///
/// The build finds every `.mustache` file of this target and declares a constant for it, named like the file
/// (`Tools/TemplateTable`). Templates include each other by that name.
struct PageTemplate: Sendable {
    let name: String
    let source: String
}
