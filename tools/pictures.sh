# What tools/gallery and tools/thumbnails share; to be sourced in the top folder.
pliant=${PLIANT:-./pliant}

# The line of a scene in tools/views.txt as "frame flags…"; nothing when it has none.
view_of() {
    sed 's/^\* *//' tools/views.txt | awk -v scene="$1" '$1 == scene { $1 = ""; print }'
}

# Runs a scene up to a frame into out/pictures/NAME, unless this program has done so already; sets $folder.
run_to() {
    local scene=$1 frame=$2
    folder=out/pictures/${scene//\//-}
    if [ ! "$folder/$frame.done" -nt "$pliant" ] || [ ! "$folder/$frame.done" -nt "scenes/$scene.lua" ]; then
        rm -rf "$folder"
        "$pliant" run "$scene" --out "$folder" --frames "$frame" --threads "${THREADS:-0}" --quiet ||
            echo "$scene did not end well; its picture is of where it stopped"
        touch "$folder/$frame.done"
    fi
}
