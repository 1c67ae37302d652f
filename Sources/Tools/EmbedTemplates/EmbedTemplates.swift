import Foundation
import PackagePlugin

/// Compiles every `.mustache` file of a target into it, wherever it lies: adding the file is enough.
@main
struct EmbedTemplates: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target.sourceModule else { return [] }
        let templates = target.sourceFiles(withSuffix: ".mustache").map(\.url).sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "PageTemplate+All.swift")
        return [
            .buildCommand(
                displayName: "Templates of \(target.name)", executable: try context.tool(named: "TemplateTable").url,
                arguments: [output.path] + templates.map(\.path), inputFiles: templates, outputFiles: [output])
        ]
    }
}
