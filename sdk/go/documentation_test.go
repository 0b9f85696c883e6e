package svc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// An alias of an internal type has neither members nor comments in the documentation.
func TestDocumentation_NoAliasOfAnInternalType(t *testing.T) {
	for _, folder := range []string{".", "tool", "runs", "localtools"} {
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatal(folder, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			reportInternalTypes(t, file)
		}
	}
}

func reportInternalTypes(t *testing.T, file *ast.File) {
	t.Helper()
	internal := map[string]bool{}
	for _, imported := range file.Imports {
		path := strings.Trim(imported.Path.Value, `"`)
		if strings.Contains(path, "/internal/") {
			internal[path[strings.LastIndex(path, "/")+1:]] = true
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		declared, ok := node.(*ast.TypeSpec)
		if !ok || !declared.Name.IsExported() {
			return true
		}
		target := declared.Type
		for {
			switch generic := target.(type) {
			case *ast.IndexExpr:
				target = generic.X
				continue
			case *ast.IndexListExpr:
				target = generic.X
				continue
			}
			break
		}
		if selected, ok := target.(*ast.SelectorExpr); ok {
			if from, ok := selected.X.(*ast.Ident); ok && internal[from.Name] {
				t.Errorf("%s is the internal type %s.%s", declared.Name.Name, from.Name, selected.Sel.Name)
			}
		}
		return true
	})
}
