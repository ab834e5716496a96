"""Opens a .vtu or .vtp with VTK's own reader and prints what it found, one fact per line. Exit 77: VTK is absent."""
import sys

try:
    import vtk
except ImportError:
    sys.exit(77)

path = sys.argv[1]
reader = vtk.vtkXMLUnstructuredGridReader() if path.endswith(".vtu") else vtk.vtkXMLPolyDataReader()
errors = []
reader.AddObserver("ErrorEvent", lambda *_: errors.append("error"))
reader.SetFileName(path)
reader.Update()
data = reader.GetOutput()


def arrays(of):
    named = [of.GetArray(i) for i in range(of.GetNumberOfArrays())]
    return " ".join(sorted(f"{a.GetName()}:{a.GetNumberOfComponents()}:{a.GetNumberOfTuples()}" for a in named))


def finite_cells():
    types = sorted({data.GetCellType(i) for i in range(data.GetNumberOfCells())})
    return " ".join(str(t) for t in types)


print("errors", len(errors))
print("points", data.GetNumberOfPoints())
print("cells", data.GetNumberOfCells())
print("types", finite_cells())
print("bounds", " ".join(f"{b:.6g}" for b in data.GetBounds()))
print("point_data", arrays(data.GetPointData()))
print("cell_data", arrays(data.GetCellData()))
print("normals", "yes" if data.GetPointData().GetNormals() else "no")
print("time", f"{data.GetFieldData().GetArray('TimeValue').GetValue(0):.6g}")
last = data.GetCell(data.GetNumberOfCells() - 1)
print("last_cell", " ".join(str(last.GetPointId(i)) for i in range(last.GetNumberOfPoints())))
print("last_point", " ".join(f"{c:.6g}" for c in data.GetPoint(data.GetNumberOfPoints() - 1)))
